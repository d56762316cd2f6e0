import { type Static, Type } from 'typebox';
import { Parse } from 'typebox/value';
import { sendMail, sendMailJob } from '../domain/mail/send-mail.ts';
import type { Engines } from '../domain/ports.ts';

const Payload = Type.Object({ accountId: Type.String(), mailId: Type.String() });

export const sendMailTask = {
  name: sendMailJob,
  parse: (payload: unknown) => Parse(Payload, payload),
  run: (engines: Engines, { accountId, mailId }: Static<typeof Payload>) => sendMail(engines, accountId, mailId),
};
