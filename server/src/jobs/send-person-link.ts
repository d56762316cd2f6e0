import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import type { Engines } from '../domain/engines.ts';
import { sendPersonLink, sendPersonLinkJob } from '../domain/people/send-person-link.ts';

const Payload = Type.Object({ linkId: Type.String() });

export const sendPersonLinkTask = {
  name: sendPersonLinkJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { linkId }: Static<typeof Payload>) => sendPersonLink(engines, linkId),
};
