import type { Letter } from '../components/letter.tsx';
import { isolate } from '../plain.ts';
import type { Words } from '../words.ts';

export interface WebhookDisabledMail {
  readonly url: string;
  /** The receiver answered that it is gone, or no request has succeeded for days. */
  readonly reason: 'gone' | 'failing';
  readonly since: Date;
  readonly to: string;
}

const intros = { gone: 'mail.webhook.gone', failing: 'mail.webhook.failing' } as const;

/** To the account's owner: events are no longer sent to a webhook. */
export function webhookDisabledMail(words: Words, mail: WebhookDisabledMail): Letter {
  return {
    subject: words.t('mail.webhook.subject'),
    intro: words.t(intros[mail.reason]),
    fields: [
      [words.t('mail.webhook.url'), isolate(mail.url)],
      [words.t('mail.webhook.since'), words.formatDate(mail.since)],
    ],
    closing: [words.t('mail.webhook.next')],
    to: mail.to,
  };
}
