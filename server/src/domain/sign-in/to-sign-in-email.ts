import { limits } from '@waybill/protocol';
import { emailAddress } from '../contacts/email-address.ts';
import { ExchangeError } from '../exchange-error.ts';

/** The address that a person typed, in the form in which addresses are stored. A text that is no address is nobody's. */
export function toSignInEmail(typed: string): string {
  try {
    return emailAddress(typed.trim());
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    return typed.trim().toLowerCase().slice(0, limits.emailLength);
  }
}
