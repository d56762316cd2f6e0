import { readFileSync } from 'node:fs';
import type { NewDrop } from '../../generated/wire.ts';
import type { DeliveryOptions } from '../../resources/delivery-options.ts';

/** The options that sends and requests have in common. */
export interface DeliveryCommandOptions {
  to: string[];
  title?: string;
  message?: string;
  days?: number;
  secondFactor?: NonNullable<NewDrop['second_factor']>;
  passphraseFile?: string;
  language?: string;
  externalId?: string;
  key?: string;
  mail: boolean;
  dryRun?: boolean;
}

/** Converts the options of the command line to those of the SDK. */
export function toDelivery({
  to,
  language,
  mail,
  title,
  message,
  days,
  secondFactor,
  passphraseFile,
  externalId,
}: DeliveryCommandOptions): DeliveryOptions {
  return {
    to: language === undefined ? to : to.map((email) => ({ email, language })),
    ...(mail ? {} : { notify: false }),
    title,
    message,
    days,
    secondFactor,
    passphrase: passphraseFile === undefined ? undefined : readFileSync(passphraseFile, 'utf8').trim(),
    externalId,
  };
}
