import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

/** For a member of the account who chose to be told. */
export interface ToldMember {
  /** Where the person chooses which mails they get. */
  readonly settingsLink: string;
  /** The name of the account, unless it is the person's own. */
  readonly sharedAccount: string | undefined;
  /** How much more news of the same kind there is. */
  readonly more: number;
}

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
