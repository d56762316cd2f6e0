import type { FileLine } from './files.ts';

export interface Mail {
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface SendOutcome {
  readonly outcome: 'sent' | 'refused';
  readonly answer: string;
}

/** Throws a SendFailure when the mail may be tried again; answers `refused` when the server will never take this one. */
export interface Mailer {
  send(mail: Mail): Promise<SendOutcome>;
}

/** Throws a SendFailure when the text may be tried again; answers `refused` when the gateway will never take this one. */
export interface SmsGateway {
  send(sms: { to: string; text: string }): Promise<SendOutcome>;
}

export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface ListedFile extends FileLine {
  readonly sizeBytes: number;
}

interface ListedFiles {
  /** The first few. */
  readonly files: readonly ListedFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
}

/** The words of mails and texts, in the best language there is for a BCP 47 tag. */
export interface Letters {
  drop(
    language: string,
    about: ListedFiles & { sender: string; message: string; deadline: Date; link: string },
  ): Letter;
  grant(language: string, about: { sender: string; message: string; deadline: Date; link: string }): Letter;
  code(language: string, about: { code: string; minutes: number; sender: string }): Letter;
  codeSms(language: string, about: { code: string; minutes: number }): string;
  reminder(language: string, about: ListedFiles & { sender: string; deadline: Date; link: string }): Letter;
  receipt(language: string, about: ListedFiles & { receiver: string; sentAt: Date; completedAt: Date }): Letter;
  received(language: string, about: ListedFiles & { contact: string; message: string; deadline: Date }): Letter;
}
