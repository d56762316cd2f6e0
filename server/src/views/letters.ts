import { type Letter, type RenderedMail, renderLetter } from './components/letter.tsx';
import { type CodeSms, codeMail, codeSms } from './mails/code-mail.ts';
import { confirmationMail } from './mails/confirmation-mail.ts';
import { dropMail } from './mails/drop-mail.ts';
import { grantMail, grantReminderMail } from './mails/grant-mail.ts';
import { questionMail } from './mails/question-mail.ts';
import { receiptMail } from './mails/receipt-mail.ts';
import { receivedMail } from './mails/received-mail.ts';
import { reminderMail } from './mails/reminder-mail.ts';
import { reportMail } from './mails/report-mail.ts';
import { testMail } from './mails/test-mail.ts';
import { undeliverableMail } from './mails/undeliverable-mail.ts';
import { webhookDisabledMail } from './mails/webhook-disabled-mail.ts';
import type { Operator } from './operator.ts';
import type { AllWords, Words } from './words.ts';

/** Every mail and text we send, each in the best available language for its reader, in the operator's name. */
export function createLetters(all: AllWords, operator: Operator) {
  const inLanguage =
    <About>(write: (words: Words, about: About) => Letter) =>
    (language: string, about: About): RenderedMail => {
      const words = all.for(language);
      return renderLetter(words, operator, write(words, about));
    };
  return {
    drop: inLanguage(dropMail),
    grant: inLanguage(grantMail),
    grantReminder: inLanguage(grantReminderMail),
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
  };
}
