import { type TSchema, Type } from 'typebox';
import { limits } from '../limits.ts';

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

export const describeExternalId = (description: string) =>
  Type.String({ minLength: 1, maxLength: limits.externalIdLength, description });

/** Long enough for a reference with blanks around it, as it may be pasted. */
export const describeReference = (description: string) => Type.String({ minLength: 1, maxLength: 36, description });

export const Nullable = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description });

/** The reason why a file was accepted although it was not scanned. */
export const describeUnscannedReason = () =>
  Nullable(
    Type.Enum(['too_large', 'encrypted', 'unavailable', 'off']),
    'Why it was not scanned for viruses; null if it was. too_large: the scanner does not inspect so large or so deeply nested a file; encrypted: it is encrypted or protected by a password; unavailable: the scanner could not be reached or took too long; off: the server scans nothing.',
  );
