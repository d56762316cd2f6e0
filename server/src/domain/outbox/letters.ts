import type { ListedFile } from '../files/file-store.ts';
import type { Question } from '../links/ask-sender.ts';

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface ListedFiles {
  /** The first few. */
  readonly files: readonly ListedFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
}

/** Who reads the mail. */
interface Addressed {
  readonly to: string;
}

/** Which drop it is about, by the reference that people use: see reference.ts. */
interface Referring extends Addressed {
  readonly reference: string;
}

/** A mail whose reader can stop or report the sender. */
interface Stoppable extends Referring {
  readonly stopLink: string;
}

/** A mail with a link in it. */
interface Linked extends Stoppable {
  /** The account's address. */
  readonly sender: string;
  /** The name that people know the account by, or its address if it has none. */
  readonly senderName: string;
  readonly deadline: Date;
  readonly link: string;
}

/** The words of mails and texts, in the best available language for a BCP 47 tag. */
export interface Letters {
  drop(language: string, about: Linked & ListedFiles & { message: string }): Letter;
  grant(language: string, about: Linked & { message: string }): Letter;
  grantReminder(language: string, about: Linked & { message: string }): Letter;
  code(language: string, about: Addressed & { code: string; minutes: number; senderName: string }): Letter;
  codeSms(language: string, about: { code: string; minutes: number; host: string }): string;
  reminder(language: string, about: Linked & ListedFiles): Letter;
  receipt(
    language: string,
    about: Referring & ListedFiles & { receiver: string; sentAt: Date; completedAt: Date },
  ): Letter;
  test(language: string, about: Addressed): Letter;
  webhookDisabled(
    language: string,
    about: Addressed & { url: string; reason: 'gone' | 'failing'; since: Date },
  ): Letter;
  undeliverable(
    language: string,
    about: Referring & ListedFiles & { receiver: string; answer: string | undefined; sentAt: Date },
  ): Letter;
  received(
    language: string,
    about: Referring & ListedFiles & { contact: string; message: string; deadline: Date },
  ): Letter;
  confirmation(
    language: string,
    about: Stoppable & ListedFiles & { receiver: string; message: string; sentAt: Date },
  ): Letter;
  report(
    language: string,
    about: Referring & { reporter: string; sender: string; senderName: string; sentAt: Date },
  ): Letter;
  question(language: string, about: Referring & { question: Question; receiver: string; deadline: Date }): Letter;
}
