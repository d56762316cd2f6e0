import type { KnownReceiver } from '../../../domain/contacts/contact-store.ts';
import { isolate, oneLine } from '../../../present/texts/plain.ts';
import type { ViewTranslator } from '../../../present/texts/translator-context.ts';
import { readWrittenPhone } from './written-phone.ts';

/** The faults in the mobile numbers of those who get a code by SMS, by address: each text names its person. */
export function describePhones(
  translator: ViewTranslator,
  {
    receivers,
    phones,
    byMail,
    callingCode,
    canChooseMail,
  }: {
    readonly receivers: readonly KnownReceiver[];
    readonly phones: ReadonlyMap<string, string>;
    readonly byMail: ReadonlySet<string>;
    readonly callingCode: string | undefined;
    readonly canChooseMail: boolean;
  },
): Map<string, string> {
  const problems = new Map<string, string>();
  for (const { email, name, hasPhone } of receivers) {
    if (hasPhone || byMail.has(email)) continue;
    const text = phones.get(email)?.trim() ?? '';
    if (text === '') {
      const key = canChooseMail ? 'composer.phone.missing' : 'composer.phone.missingOnly';
      problems.set(email, translator.t(key, { name: isolate(oneLine(name) || oneLine(email)) }));
      continue;
    }
    const read = readWrittenPhone(text, callingCode);
    if ('number' in read) continue;
    const shown = isolate(oneLine(text));
    problems.set(
      email,
      read.fault === 'short'
        ? translator.t('composer.phone.short', { text: shown, count: read.digitCount })
        : translator.t('composer.phone.invalid', { text: shown }),
    );
  }
  return problems;
}
