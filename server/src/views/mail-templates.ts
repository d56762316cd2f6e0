import type { RenderedMail } from '../domain/outbox/mail-templates.ts';
import { type MailContent, renderMail } from './components/mail.tsx';
import { type CodeSms, codeMail, codeSms } from './mails/code-mail.ts';
import { confirmationMail } from './mails/confirmation-mail.ts';
import { dropMail } from './mails/drop-mail.ts';
import { personInvitationMail, recoveryMail } from './mails/person-link-mail.ts';
import { publicLinkMail } from './mails/public-link-mail.ts';
import { questionMail } from './mails/question-mail.ts';
import { receiptMail } from './mails/receipt-mail.ts';
import { receivedMail } from './mails/received-mail.ts';
import { reminderMail } from './mails/reminder-mail.ts';
import { reportMail } from './mails/report-mail.ts';
import { requestMail, requestReminderMail } from './mails/request-mail.ts';
import { methodAddedMail, signInMail } from './mails/sign-in-mail.ts';
import { testMail } from './mails/test-mail.ts';
import { undeliverableMail } from './mails/undeliverable-mail.ts';
import { webhookDisabledMail } from './mails/webhook-disabled-mail.ts';
import type { Operator } from './operator.ts';
import type { Translator, Translators } from './translator.ts';

/** Creates every mail and SMS, each in the best available language for its reader, in the operator's name. */
export function createMailTemplates(all: Translators, operator: Operator) {
  const inLanguage =
    <About>(write: (translator: Translator, about: About) => MailContent) =>
    (language: string, about: About & { readonly timeZone?: string | undefined }): RenderedMail => {
      const translator = all.for(language, about.timeZone || undefined);
      return renderMail(translator, operator, write(translator, about));
    };
  return {
    drop: inLanguage(dropMail),
    request: inLanguage(requestMail),
    requestReminder: inLanguage(requestReminderMail),
    publicLink: inLanguage(publicLinkMail),
    code: inLanguage(codeMail),
    codeSms: (language: string, sms: CodeSms) => codeSms(all.for(language), sms),
    reminder: inLanguage(reminderMail),
    receipt: inLanguage(receiptMail),
    question: inLanguage(questionMail),
    undeliverable: inLanguage(undeliverableMail),
    report: inLanguage(reportMail),
    test: inLanguage(testMail),
    received: inLanguage(receivedMail),
    confirmation: inLanguage(confirmationMail),
    webhookDisabled: inLanguage(webhookDisabledMail),
    personInvitation: inLanguage(personInvitationMail),
    recovery: inLanguage(recoveryMail),
    signIn: inLanguage(signInMail),
    methodAdded: inLanguage(methodAddedMail),
  };
}
