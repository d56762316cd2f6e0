import { type CodeMail, codeMail, codeSms } from './mails/code-mail.ts';
import { type DropMail, dropMail } from './mails/drop-mail.ts';
import { type GrantMail, grantMail } from './mails/grant-mail.ts';
import { type ReceiptMail, receiptMail } from './mails/receipt-mail.ts';
import { type ReceivedMail, receivedMail } from './mails/received-mail.ts';
import { type ReminderMail, reminderMail } from './mails/reminder-mail.ts';
import type { AllWords } from './words.ts';

/** Every mail and text we send, each in the best language there is for its reader. */
export function createLetters(words: AllWords) {
  return {
    drop: (language: string, mail: DropMail) => dropMail(words.for(language), mail),
    grant: (language: string, mail: GrantMail) => grantMail(words.for(language), mail),
    code: (language: string, mail: CodeMail) => codeMail(words.for(language), mail),
    codeSms: (language: string, sms: Pick<CodeMail, 'code' | 'minutes'>) => codeSms(words.for(language), sms),
    reminder: (language: string, mail: ReminderMail) => reminderMail(words.for(language), mail),
    receipt: (language: string, mail: ReceiptMail) => receiptMail(words.for(language), mail),
    received: (language: string, mail: ReceivedMail) => receivedMail(words.for(language), mail),
  };
}
