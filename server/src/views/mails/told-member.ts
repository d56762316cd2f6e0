import type { ToldMember } from '../../domain/outbox/mail-templates.ts';
import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

/** The parts that a mail with news has for a member, and for nobody else. */
export function describeTold(
  translator: Translator,
  told: ToldMember | undefined,
): { fields: NonNullable<MailContent['fields']>; closing: readonly string[] } {
  if (!told) return { fields: [], closing: [] };
  const { settingsLink, sharedAccount, more } = told;
  return {
    fields: sharedAccount === undefined ? [] : [[translator.t('mail.news.account'), isolate(sharedAccount)]],
    closing: [
      ...(more > 0 ? [translator.t('mail.news.more', { count: more })] : []),
      translator.t('mail.news.choose', { link: settingsLink }),
    ],
  };
}
