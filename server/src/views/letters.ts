import { type DropMail, dropMail } from './mails/drop-mail.ts';
import { type GrantMail, grantMail } from './mails/grant-mail.ts';
import type { AllWords } from './words.ts';

/** Every mail we send, each in the best language there is for its reader. */
export function createLetters(words: AllWords) {
  return {
    drop: (language: string, mail: DropMail) => dropMail(words.for(language), mail),
    grant: (language: string, mail: GrantMail) => grantMail(words.for(language), mail),
  };
}
