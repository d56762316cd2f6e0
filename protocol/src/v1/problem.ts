import { type Static, Type } from 'typebox';
import type { ErrorCode } from '../errors.ts';

export const Fault = Type.Object({
  pointer: Type.String({ description: 'Which part of the request is wrong: a JSON pointer (RFC 6901).' }),
  detail: Type.String({ description: 'What is wrong with it, for people to read.' }),
  code: Type.String({ description: 'What kind of fault it is.' }),
});

/** RFC 9457. `code` is the last part of `type`, and stable like it. */
export function Problem(codes: readonly ErrorCode[]) {
  return Type.Object(
    {
      type: Type.String({ format: 'uri' }),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String(),
      code: Type.Enum([...codes]),
      request_id: Type.String({ description: 'What to quote to the administrator.' }),
      errors: Type.Optional(Type.Array(Fault)),
    },
    { additionalProperties: false },
  );
}
export type Problem = Static<ReturnType<typeof Problem>>;
