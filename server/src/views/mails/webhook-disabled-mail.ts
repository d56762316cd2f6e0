import type { MailContent } from '../components/mail.tsx';
import { isolate } from '../plain.ts';
import type { Translator } from '../translator.ts';

export interface WebhookDisabledMail {
  readonly url: string;
  /** The webhook responded with 410, or no request has succeeded for days. */
  readonly reason: 'gone' | 'failing';
  readonly since: Date;
  readonly to: string;
}

const intros = { gone: 'mail.webhook.gone', failing: 'mail.webhook.failing' } as const;

/** To the account's owner: events are no longer sent to a webhook. */
export function webhookDisabledMail(translator: Translator, mail: WebhookDisabledMail): MailContent {
  return {
    subject: translator.t('mail.webhook.subject'),
    intro: translator.t(intros[mail.reason]),
    fields: [
      [translator.t('mail.webhook.url'), isolate(mail.url)],
      [translator.t('mail.webhook.since'), translator.formatDate(mail.since)],
    ],
    closing: [translator.t('mail.webhook.next')],
    to: mail.to,
  };
}
