import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import type { Engines } from '../domain/engines.ts';
import { tellOwner, tellOwnerJob } from '../domain/webhooks/tell-owner.ts';

const Payload = Type.Object({ accountId: Type.String(), webhookId: Type.String(), messageId: Type.String() });

export const tellOwnerTask = {
  name: tellOwnerJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { accountId, webhookId, messageId }: Static<typeof Payload>) =>
    tellOwner(engines, accountId, webhookId, messageId),
};
