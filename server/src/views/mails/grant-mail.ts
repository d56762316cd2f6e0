import { type RenderedMail, renderLetter } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface GrantMail {
  readonly sender: string;
  readonly message: string;
  readonly deadline: Date;
  readonly link: string;
  readonly brand?: string | undefined;
}

/** To a contact: you can send files back. */
export function grantMail(words: Words, mail: GrantMail): RenderedMail {
  const sender = isolate(mail.sender);
  const deadline = words.formatDate(mail.deadline);
  return renderLetter(words, {
    subject: words.t('mail.grant.subject', { sender }),
    preheader: words.t('mail.grant.preheader', { deadline }),
    intro: words.t('mail.grant.intro', { sender }),
    message: mail.message,
    button: { label: words.t('mail.grant.button'), here: words.t('mail.grant.here'), link: mail.link },
    closing: [words.t('mail.linkUntil', { deadline }), words.t('mail.private'), words.t('mail.unexpected')],
    brand: mail.brand,
  });
}
