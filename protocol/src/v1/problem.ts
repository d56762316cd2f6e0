import { type Static, type TEnum, Type } from 'typebox';
import type { ErrorCode } from '../errors.ts';

/** The codes of single faults, besides those of `ErrorCode`. */
export const faultCodes = [
  'required',
  'unknown',
  'wrong_type',
  'wrong_format',
  'not_allowed',
  'out_of_range',
  'too_short',
  'too_long',
  'too_few',
  'too_many',
  'repeated',
  'invalid',
] as const;
export type FaultCode = (typeof faultCodes)[number];

export const Fault = Type.Object(
  {
    pointer: Type.Optional(
      Type.String({
        description: 'The part of the body that is wrong, as a JSON pointer (RFC 6901); empty for the whole body.',
      }),
    ),
    parameter: Type.Optional(Type.String({ description: 'The parameter of the query or the path that is wrong.' })),
    detail: Type.String({ description: 'The reason, for people to read.' }),
    code: Type.String({
      description: `The kind of fault: ${faultCodes.join(', ')}, or the code of an error that concerns this part alone, such as recipient_not_allowed.`,
    }),
  },
  { description: 'One thing that is wrong with a request: at a `pointer` in the body, or in a `parameter`.' },
);

/** RFC 9457. `code` is the last part of `type`, and stable like it. */
export function Problem(code: TEnum<ErrorCode[]>) {
  return Type.Object(
    {
      type: Type.String({ format: 'uri', description: 'The kind of problem: a page that explains it.' }),
      title: Type.String({ description: 'The kind of problem, for people to read.' }),
      status: Type.Integer({ description: 'The HTTP status.' }),
      detail: Type.String({ description: 'The reason and what to do next, for people to read.' }),
      code,
      max_size: Type.Optional(
        Type.Integer({
          description:
            'If a file is too large: the largest size in bytes that would be accepted, in this request if a larger file can be sent in parts.',
        }),
      ),
      instance: Type.String({
        format: 'uri',
        description:
          'The HTTP request, to quote to the administrator. It ends with the value of the header `X-Request-Id`.',
      }),
      errors: Type.Optional(Type.Array(Fault, { description: 'Each thing that is wrong with the request.' })),
    },
    { additionalProperties: false, description: 'The reason why a request was refused or failed (RFC 9457).' },
  );
}
export type Problem = Static<ReturnType<typeof Problem>>;
