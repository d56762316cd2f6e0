import type { MailedFile } from '../files/file-store.ts';
import type { WantedFile } from '../files/wanted-files.ts';
import type { Question } from '../links/ask-sender.ts';

export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** A PNG that the HTML refers to. */
  readonly logo?: Buffer | undefined;
}

/** About a drop that may have a title. */
interface Titled {
  readonly title?: string | null;
}

interface ListedFiles {
  readonly files: readonly MailedFile[];
  readonly fileCount: number;
  readonly totalBytes: number;
  /** How many of all files were not scanned. */
  readonly unscannedCount: number;
}

/** The reader of the mail. */
interface Addressed {
  readonly to: string;
  /** The time zone that the reader chose; empty or absent: that of the server. */
  readonly timeZone?: string | undefined;
}

/** For a member of the account who chose to be told. */
export interface ToldMember {
  /** Where the person chooses which mails they get. */
  readonly settingsLink: string;
  /** The name of the account, unless it is the person's own. */
  readonly sharedAccount: string | undefined;
  /** How much more news of the same kind there is. */
  readonly more: number;
}

/** Which drop it is about, by the reference that people use: see reference.ts. */
interface Referring extends Addressed {
  readonly reference: string;
}

/** A mail to an account about what it sends or receives. */
interface Notice extends Referring {
  /** The page of the web app that shows it; undefined if nobody signs in to the account. */
  readonly page: string | undefined;
  /** Undefined if it is for the account's address. */
  readonly told: ToldMember | undefined;
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

/** The part of a mail that says for what a contact is asked. */
interface Asked extends Titled {
  readonly message: string;
  readonly reusable: boolean;
  readonly wanted: readonly Pick<WantedFile, 'name'>[];
}

/** A mail with a link at which a person begins to sign in. */
export interface PersonLinked extends Addressed {
  readonly operatorName: string;
  readonly link: string;
  readonly deadline: Date;
}

/** A sign-in method that a person has added: its name, or the provider and what it calls the person. */
export type AddedMethod =
  | { readonly kind: 'password' }
  | { readonly kind: 'passkey'; readonly name: string }
  | { readonly kind: 'identity'; readonly provider: string; readonly label: string };

/** A mail that tells a person of a sign-in, or of a change of how they sign in, and from where it was made. */
export interface SignInNoticed extends Omit<PersonLinked, 'deadline'> {
  readonly address: string;
  readonly userAgent: string;
  readonly at: Date;
}

/** The facts of each kind of mail. */
export interface Mails {
  readonly drop: Linked & ListedFiles & Titled & { message: string };
  readonly request: Linked & Asked;
  readonly publicLink: Linked;
  readonly requestReminder: Linked & Asked;
  readonly code: Addressed & { code: string; minutes: number; senderName: string };
  readonly reminder: Linked & ListedFiles & Titled;
  readonly receipt: Notice &
    ListedFiles &
    Titled & {
      receiver: string;
      sentAt: Date;
      openedAt: Date | null;
      completedAt: Date;
      /** The addresses of the people of the account who saw the receiver's link. */
      shownTo: readonly string[];
    };
  readonly test: Addressed;
  /** The webhook responded with 410, or no request has succeeded for days. */
  readonly webhookDisabled: Addressed & { url: string; reason: 'gone' | 'failing'; since: Date };
  /** Entries of the inbox that programs have claimed as often as allowed; `page` is undefined if nobody signs in to the account. */
  readonly entriesParked: Addressed & { count: number; attempts: number; page: string | undefined };
  readonly personInvitation: PersonLinked & {
    /** Undefined if the operator invited. */
    inviter: { readonly email: string; readonly name: string } | undefined;
    /** The account that the person will work in; without a name, it is called by its address. */
    account: { readonly email: string; readonly name: string };
  };
  readonly recovery: PersonLinked;
  readonly signIn: SignInNoticed;
  readonly methodAdded: SignInNoticed & { added: AddedMethod };
  /** The response is that of the mail server; undefined if the receiver has stopped mails from the sender. */
  readonly undeliverable: Notice &
    ListedFiles &
    Titled & { receiver: string; response: string | undefined; sentAt: Date };
  /** Unsolicited: nobody asked for it; it came through the account's public page. */
  readonly received: Notice &
    ListedFiles &
    Titled & { contact: string; message: string; deadline: Date; isUnsolicited: boolean };
  readonly confirmation: Stoppable & ListedFiles & { receiver: string; message: string; sentAt: Date };
  readonly report: Referring & { reporter: string; sender: string; senderName: string; sentAt: Date };
  /** About a request for files if it is one, which a contact has not sent. */
  readonly question: Notice & {
    question: Question;
    isRequest: boolean;
    /** Whether the sender ended it, and not its deadline. */
    isRevoked: boolean;
    receiver: string;
    deadline: Date;
  };
}

export interface CodeSms {
  readonly code: string;
  readonly minutes: number;
  /** The host of the page that asks for the code. */
  readonly host: string;
}

/** The words of mails and texts, in the best available language for a BCP 47 tag. */
export type MailTemplates = {
  readonly [Kind in keyof Mails]: (language: string, about: Mails[Kind]) => RenderedMail;
} & { codeSms(language: string, about: CodeSms): string };
