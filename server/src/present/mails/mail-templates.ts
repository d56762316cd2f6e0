import type { CodeSms, MailTemplates, RenderedMail } from '../../domain/outbox/mail-templates.ts';
import type { Operator } from '../operator.ts';
import type { Translator, Translators } from '../texts/translator.ts';
import {
  entriesParkedMail,
  questionMail,
  receiptMail,
  receivedMail,
  reportMail,
  testMail,
  undeliverableMail,
  webhookDisabledMail,
} from './account-mails.ts';
import type { MailContent } from './mail.tsx';
import { methodAddedMail, personInvitationMail, recoveryMail, signInMail } from './person-mails.ts';
import {
  codeMail,
  codeSms,
  confirmationMail,
  dropMail,
  publicLinkMail,
  reminderMail,
  requestMail,
  requestReminderMail,
} from './receiver-mails.ts';
import { renderMail } from './render-mail.tsx';

/** Creates every mail and SMS, each in the best available language for its reader, in the operator's name. */
export function createMailTemplates(all: Translators, operator: Operator): MailTemplates {
  const inLanguage =
    <About extends { readonly timeZone?: string | undefined }>(
      write: (translator: Translator, about: About) => MailContent,
    ) =>
    (language: string, about: About): RenderedMail => {
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
    entriesParked: inLanguage(entriesParkedMail),
    personInvitation: inLanguage(personInvitationMail),
    recovery: inLanguage(recoveryMail),
    signIn: inLanguage(signInMail),
    methodAdded: inLanguage(methodAddedMail),
  };
}
