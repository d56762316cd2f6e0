import type { SmsGateway } from '../../src/domain/ports/mailer.ts';

export interface MemorySmsGateway extends SmsGateway {
  /** The texts that were accepted, in order. */
  readonly sent: readonly { readonly to: string; readonly text: string }[];
}

/** Keeps texts and fulfils the contract of the real gateway (sms-gateway-contract.ts). */
export function memorySmsGateway(): MemorySmsGateway {
  const sent: { to: string; text: string }[] = [];
  return {
    sent,
    async send({ to, text }) {
      if (!/^\d+$/.test(to)) return { outcome: 'refused', response: 'This is not one telephone number.' };
      sent.push({ to, text });
      return { outcome: 'sent', response: '202 0: Accepted for delivery' };
    },
  };
}
