/** The page on which anyone can send files to an account, as its owner set it up. */
export interface PublicPage {
  /** The last part of its address. */
  readonly name: string;
  /** Shown on the page; empty: nothing. */
  readonly message: string;
  /** A page that is closed keeps its name, and looks as if it did not exist. */
  readonly isOpen: boolean;
}

/** The open page of an account, as visitors see it. */
export interface OpenPage extends Pick<PublicPage, 'name' | 'message'> {
  readonly accountId: string;
  /** The address of the account. */
  readonly account: string;
  /** The name that people know the account by, or its address if it has none. */
  readonly accountName: string;
}

/** A visitor of a public page who wants to send files. */
export interface Visitor {
  readonly email: string;
  readonly name: string;
  readonly language: string;
}

export interface BlockedSender {
  readonly email: string;
  readonly blockedAt: Date;
}

export interface PublicPageStore {
  /** The open page of this name, of an account that is not disabled. */
  byName(name: string): Promise<OpenPage | undefined>;
  ofAccount(accountId: string): Promise<PublicPage | undefined>;
  /** False when another account has the name. */
  set(accountId: string, page: PublicPage): Promise<boolean>;
  /** Enqueues the job that sends the visitor a link, if that is allowed. */
  requestLink(accountId: string, visitor: Visitor): Promise<void>;
  /** Whether the account has blocked the address, or the address wants no mail from the account. */
  isUnwanted(accountId: string, email: string): Promise<boolean>;
  /** False when it was already blocked. */
  block(accountId: string, email: string): Promise<boolean>;
  /** False when it was not blocked. */
  unblock(accountId: string, email: string): Promise<boolean>;
  /** In alphabetical order, up to `count`. */
  blocked(accountId: string, count: number): Promise<BlockedSender[]>;
  /** Revokes the links that visitors have got and not used, or those of one address. */
  revokeLinks(accountId: string, email?: string): Promise<void>;
}
