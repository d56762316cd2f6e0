import { ExchangeError } from '../exchange-error.ts';

/** 7 to 15 digits, beginning with the country code, without + or 00. */
export function phoneNumber(text: string): string {
  if (!/^[1-9][0-9]{6,14}$/.test(text)) {
    throw new ExchangeError(
      'invalid_input',
      `${JSON.stringify(text.slice(0, 80))} is not a mobile number: 7 to 15 digits, the country code first, without + or 00.`,
    );
  }
  return text;
}
