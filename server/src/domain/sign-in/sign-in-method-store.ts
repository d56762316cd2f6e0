export interface Passkey {
  /** As the authenticator names it. */
  readonly credentialId: Buffer;
  readonly personId: string;
  readonly publicKey: Buffer;
  readonly counter: number;
  readonly transports: readonly string[];
  /** Whether it is copied to other devices of the person. */
  readonly isBackedUp: boolean;
  readonly name: string;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
}

export interface AuthenticatorApp {
  /** The value from which the secret of the authenticator app is derived. */
  readonly salt: Buffer;
  /** Whether its first code was entered. */
  readonly isConfirmed: boolean;
  /** The step of the last accepted code. */
  readonly lastStep: number;
}

/** A person at an identity provider. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly provider: string;
  /** The address or name that the provider last gave; empty if it gave none. */
  readonly label: string;
  readonly linkedAt: Date;
  readonly lastUsedAt: Date | null;
}

/** The sign-in methods of a person. Changes are made under `people.lock`. */
export interface SignInMethodStore {
  /** Whether the person can sign in without a mailed link. */
  hasAny(personId: string): Promise<boolean>;

  passkeys(personId: string): Promise<Passkey[]>;
  passkey(credentialId: Buffer): Promise<Passkey | undefined>;
  /** False if the credential is registered already. */
  insertPasskey(passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>): Promise<boolean>;
  recordPasskeyUse(credentialId: Buffer, counter: number, isBackedUp: boolean): Promise<void>;
  renamePasskey(personId: string, credentialId: Buffer, name: string): Promise<boolean>;
  removePasskey(personId: string, credentialId: Buffer): Promise<boolean>;

  /** The PHC string, and since when. */
  password(personId: string): Promise<{ hash: string; changedAt: Date } | undefined>;
  setPassword(personId: string, hash: string): Promise<void>;
  removePassword(personId: string): Promise<void>;

  authenticatorApp(personId: string): Promise<AuthenticatorApp | undefined>;
  /** Replaces one that was not confirmed; false if there is a confirmed one. */
  insertAuthenticatorApp(personId: string, salt: Buffer): Promise<boolean>;
  /** Accepts a code once: false if its step, or a later one, was accepted before. Confirms the app. */
  acceptStep(personId: string, step: number): Promise<boolean>;
  removeAuthenticatorApp(personId: string): Promise<void>;

  /** Replaces all of them. */
  setRecoveryCodes(personId: string, digests: readonly Buffer[]): Promise<void>;
  /** False if there is no such code, or it was used. */
  useRecoveryCode(personId: string, digest: Buffer): Promise<boolean>;
  countRecoveryCodes(personId: string): Promise<number>;

  identities(personId: string): Promise<Identity[]>;
  findPersonId(issuer: string, subject: string): Promise<string | undefined>;
  /** False if the identity belongs to someone. */
  insertIdentity(personId: string, identity: Omit<Identity, 'linkedAt' | 'lastUsedAt'>): Promise<boolean>;
  recordIdentityUse(identity: Pick<Identity, 'issuer' | 'subject' | 'label'>): Promise<void>;
  removeIdentity(personId: string, issuer: string, subject: string): Promise<boolean>;

  /** Removes every method, as before a recovery. */
  removeAll(personId: string): Promise<void>;
}
