import { type TSchema, Type } from 'typebox';

/** RFC 3339 without leap seconds, which a `Date` does not know. The pattern also serves validators without formats. */
export const Time = Type.String({
  format: 'date-time',
  pattern:
    '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$',
  description: 'a time such as 2030-01-31T12:00:00Z',
});

/** A time with a description of its own. */
export const describeTime = (description: string) => Type.String({ ...Time, description });

export const describeId = (description: string) => Type.String({ format: 'uuid', description });

export const Nullable = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });
