import { type Static, Type } from 'typebox';
import { limits } from './limits.ts';

/**
 * Request of createdrop.cgi and givedrop.cgi (docs/api.md#8-create-a-dispatch). The server's configuration sets the
 * unit of `desttime` and how large it may be.
 */
export const DispatchParameters = Type.Object(
  {
    desttime: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
    ddmessage: Type.Optional(Type.String({ maxLength: limits.messageLength })),
  },
  { additionalProperties: false },
);
export type DispatchParameters = Static<typeof DispatchParameters>;

/** Response of the operations that change something (docs/api.md#operations). */
export const Status = Type.Object({
  status: Type.Union([Type.Literal('ok'), Type.Literal('done'), Type.Literal('deldone')]),
});
export type Status = Static<typeof Status>;
