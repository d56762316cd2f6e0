import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import type { Engines } from '../domain/engines.ts';
import { sendPublicLink, sendPublicLinkJob } from '../domain/public-page/send-public-link.ts';

const Payload = Type.Object({
  accountId: Type.String(),
  email: Type.String(),
  name: Type.String(),
  language: Type.String(),
});

export const sendPublicLinkTask = {
  name: sendPublicLinkJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { accountId, ...visitor }: Static<typeof Payload>) =>
    sendPublicLink(engines, accountId, visitor),
};
