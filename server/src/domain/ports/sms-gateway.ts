import type { SendOutcome } from './mailer.ts';

/** Throws a SendFailure when the text may be tried again; returns `refused` when the gateway will never accept it. */
export interface SmsGateway {
  send(sms: { to: string; text: string }): Promise<SendOutcome>;
}
