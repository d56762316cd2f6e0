import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import type { Engines } from '../domain/engines.ts';
import { sendMessage, sendMessageJob } from '../domain/outbox/send-message.ts';

const Payload = Type.Object({ accountId: Type.String(), messageId: Type.String() });

export const sendMessageTask = {
  name: sendMessageJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { accountId, messageId }: Static<typeof Payload>) =>
    sendMessage(engines, accountId, messageId),
};
