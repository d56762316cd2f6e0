import { patterns } from '@waybill/protocol';
import { ExchangeError } from '../exchange-error.ts';

const pattern = new RegExp(`^${patterns.phone}$`);

export function phoneNumber(text: string): string {
  if (!pattern.test(text)) {
    throw new ExchangeError(
      'invalid_input',
      `${JSON.stringify(text.slice(0, 80))} is not a mobile number. Write it with 7 to 15 digits, the country code first, without + or 00.`,
    );
  }
  return text;
}
