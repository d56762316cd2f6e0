/** The site that passkeys are for: a passkey works only there. */
export interface PasskeySite {
  /** The host name (RP id). */
  readonly id: string;
  readonly origin: string;
  /** The name that the browser shows. */
  readonly name: string;
}

/** The person who registers a passkey. */
export interface PasskeyOwner {
  /** 32 random bytes that stand for the person in authenticators (user handle). They say nothing about the person. */
  readonly handle: Buffer;
  readonly email: string;
  readonly name: string;
}

export interface PasskeyCredential {
  readonly credentialId: Buffer;
  /** In the form of COSE. */
  readonly publicKey: Buffer;
  /** How often it was used, by its own count; always 0 for most synchronised passkeys. */
  readonly counter: number;
}

export interface RegisteredPasskey extends PasskeyCredential {
  /** Whether it is copied to the person's other devices. */
  readonly isBackedUp: boolean;
  /** How the browser reaches the authenticator, such as `internal` or `usb`. */
  readonly transports: readonly string[];
}

/**
 * Why a response is refused. `counter_went_back`: the signature is right, but was made by a copy of the authenticator,
 * or there is one.
 */
export type PasskeyRefusal = 'malformed' | 'wrong_credential' | 'not_verified' | 'counter_went_back';

export type PasskeyOutcome<Result> =
  | ({ readonly outcome: 'accepted' } & Result)
  | { readonly outcome: 'refused'; readonly reason: PasskeyRefusal };

/** Arguments for a function of the browser, as JSON. */
export type PasskeyOptions = Readonly<Record<string, unknown>>;

/** The site and the challenge that a response must belong to. The caller lets each challenge be used once, and only for some minutes. */
export interface PasskeyExpectation {
  readonly site: PasskeySite;
  readonly challenge: Buffer;
}

/**
 * Registers passkeys and checks sign-ins with them. All are discoverable and verify the person (by PIN, finger or face).
 * A response is whatever a browser sent; nothing is assumed about it.
 */
export interface Passkeys {
  /** For `navigator.credentials.create()`. Devices that have one of the existing passkeys offer no further one. */
  makeRegistrationOptions(
    expected: PasskeyExpectation,
    owner: PasskeyOwner,
    existing: readonly Pick<RegisteredPasskey, 'credentialId' | 'transports'>[],
  ): Promise<PasskeyOptions>;
  verifyRegistration(response: unknown, expected: PasskeyExpectation): Promise<PasskeyOutcome<RegisteredPasskey>>;
  /** For `navigator.credentials.get()`. The person chooses among the passkeys of this site. */
  makeSignInOptions(expected: PasskeyExpectation): Promise<PasskeyOptions>;
  /** The id of the passkey that a response claims to come from; undefined if it is malformed. */
  readCredentialId(response: unknown): Buffer | undefined;
  /** Returns the new counter, which the caller stores only if it is greater than the stored one, or both are 0. */
  verifySignIn(
    response: unknown,
    expected: PasskeyExpectation & { readonly passkey: PasskeyCredential; readonly handle: Buffer },
  ): Promise<PasskeyOutcome<Pick<RegisteredPasskey, 'counter' | 'isBackedUp'>>>;
}
