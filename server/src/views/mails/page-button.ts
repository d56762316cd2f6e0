import type { MailContent } from '../components/mail.tsx';
import type { Translator } from '../translator.ts';

/** Leads a member of the account to the page that shows what the mail is about, if anybody signs in to the account. */
export function createPageButton(translator: Translator, page: string | undefined): MailContent['button'] {
  return page === undefined
    ? undefined
    : { label: translator.t('mail.page.button'), here: translator.t('mail.page.here'), link: page };
}
