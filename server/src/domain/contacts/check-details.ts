import { patterns } from '@waybill/protocol';
import type { Faults } from '../faults.ts';
import { phoneNumber } from './phone-number.ts';

/** The details of a person besides the address, as a caller gives them. */
export interface PersonDetails {
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  readonly language?: string | undefined;
}

const languageTag = new RegExp(`^${patterns.languageTag}$`);

export function checkDetails(faults: Faults, pointer: string, { phone, language }: PersonDetails): void {
  if (phone !== undefined) faults.check(`${pointer}/phone`, () => phoneNumber(phone));
  if (language !== undefined && !languageTag.test(language)) {
    faults.add(`${pointer}/language`, 'invalid_input', 'The language must be a tag such as en or pt-BR.');
  }
}
