import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import type { Engines } from '../domain/engines.ts';
import { sendSignInNotice, sendSignInNoticeJob } from '../domain/people/send-sign-in-notice.ts';

const Payload = Type.Object({
  id: Type.String(),
  personId: Type.String(),
  address: Type.String(),
  userAgent: Type.String(),
  at: Type.String(),
  added: Type.Optional(
    Type.Union([
      Type.Object({ kind: Type.Literal('password') }),
      Type.Object({ kind: Type.Literal('passkey'), name: Type.String() }),
      Type.Object({ kind: Type.Literal('identity'), provider: Type.String(), label: Type.String() }),
    ]),
  ),
});

export const sendSignInNoticeTask = {
  name: sendSignInNoticeJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { at, ...notice }: Static<typeof Payload>) =>
    sendSignInNotice(engines, { ...notice, at: new Date(at) }),
};
