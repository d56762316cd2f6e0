import { patterns } from '@waybill/protocol';
import type { InputEntry } from '../exchange-error.ts';
import type { Faults } from '../faults.ts';
import { phoneNumber } from './phone-number.ts';

/** The details of a person besides the address, as a caller gives them. */
export interface PersonDetails {
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  readonly language?: string | undefined;
}

const languageTag = new RegExp(`^${patterns.languageTag}$`);

export function checkDetails(faults: Faults, entry: InputEntry | undefined, { phone, language }: PersonDetails): void {
  if (phone !== undefined) faults.check({ entry, field: 'phone' }, () => phoneNumber(phone));
  if (language !== undefined && !languageTag.test(language)) {
    faults.add({ entry, field: 'language' }, 'invalid_input', 'The language must be a tag such as en or pt-BR.');
  }
}
