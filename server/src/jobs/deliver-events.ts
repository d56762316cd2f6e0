import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import type { Engines } from '../domain/engines.ts';
import { deliverEvents, deliverEventsJob } from '../domain/webhooks/deliver-events.ts';

const Payload = Type.Object({ accountId: Type.String(), webhookId: Type.String() });

export const deliverEventsTask = {
  name: deliverEventsJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { accountId, webhookId }: Static<typeof Payload>, signal: AbortSignal) =>
    deliverEvents(engines, accountId, webhookId, signal),
};
