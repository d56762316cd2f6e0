/** Where a claim is: its name, or the names that lead to it in nested objects. A dot in a name has no meaning. */
export type ClaimPath = readonly string[];

/** The operator's rules about one provider (OpenID Connect). */
export interface ProviderRules {
  readonly id: string;
  /** Shown to people: "Sign in with …". */
  readonly name: string;
  /** False for a provider that does not say whether addresses are verified, and is trusted with them. */
  readonly requireEmailVerified: boolean;
  /**
   * Conditions under which somebody becomes a person by signing in for the first time; all have to be fulfilled. Undefined:
   * nobody.
   */
  readonly createPeople:
    | {
        /** Of the address, in lower case and ASCII. */
        readonly domains: readonly string[] | undefined;
        readonly claim: { readonly path: ClaimPath; readonly values: readonly string[] } | undefined;
      }
    | undefined;
  /** The memberships that come with a group of the provider. */
  readonly memberships: readonly ProviderMembership[];
}

export interface ProviderMembership {
  readonly group: string;
  /** The address of the account. */
  readonly account: string;
  readonly role: 'owner' | 'member' | 'reader';
}

/** The caller keeps it in the browser, and nowhere else: sealed, and useless after 10 minutes. */
export interface BegunSignIn {
  readonly url: string;
  readonly secret: string;
}

/** Something that is accepted once: the caller remembers the digest for this long, and refuses it a second time. */
export interface SingleUse {
  readonly digest: Buffer;
  readonly seconds: number;
}

/** A person as the provider describes them. Only `issuer` and `subject` together identify them. */
export interface ProviderClaims {
  /** The id of the provider in our settings. */
  readonly provider: string;
  readonly issuer: string;
  readonly subject: string;
  /** The session at the provider, which a logout can name. */
  readonly sid: string | undefined;
  /** As the provider sent it. */
  readonly email: string | undefined;
  /** Undefined if the provider does not say. */
  readonly emailVerified: boolean | undefined;
  readonly name: string | undefined;
  /** A primary language subtag such as `sv`. */
  readonly language: string | undefined;
  /** Undefined if the provider sent none, or something else than groups: then nothing is known, and nothing is removed. */
  readonly groups: readonly string[] | undefined;
  /** The values of the claim that `createPeople` asks for. */
  readonly creationClaim: readonly string[] | undefined;
}

export interface CompletedSignIn {
  readonly claims: ProviderClaims;
  /** A path of our own. */
  readonly returnTo: string;
  /** The person who was signed in and wanted to add the provider to their sign-in methods. */
  readonly personId: string | undefined;
  readonly singleUse: SingleUse;
}

/** Ends the session with this `sid`, or all sessions of the subject if there is none. */
export interface ProviderLogout {
  readonly provider: string;
  readonly issuer: string;
  readonly sid: string | undefined;
  readonly subject: string | undefined;
  readonly singleUse: SingleUse;
}

export interface ProviderFailure {
  readonly failure:
    | 'unknown_provider'
    /** The provider does not respond, or not in a way that we can use. */
    | 'provider_unavailable'
    /** The browser has not begun a sign-in with this provider, or more than 10 minutes ago. */
    | 'not_begun_here'
    /** The person cancelled, or the provider refused. */
    | 'refused_by_provider'
    | 'invalid_response'
    | 'invalid_token';
}

/** Paths of one provider. The provider's settings have them as redirect URI and as back-channel logout URI. */
export function toProviderPaths(id: string): {
  readonly begin: string;
  /** Begins a sign-in for somebody who adds the provider to their methods. */
  readonly link: string;
  readonly callback: string;
  /** Where they see which identity it is, and add it. */
  readonly confirm: string;
  readonly logout: string;
} {
  const begin = `/sign-in/provider/${id}`;
  return {
    begin,
    link: `${begin}/link`,
    callback: `${begin}/callback`,
    confirm: `${begin}/confirm`,
    logout: `${begin}/logout`,
  };
}

/** Sign-in by OpenID Connect. Nothing here throws: a provider that is down concerns nobody but its own people. */
export interface IdentityProviders {
  /** In the order in which people are offered them. */
  readonly rules: readonly ProviderRules[];
  begin(
    providerId: string,
    options: { readonly returnTo: string; readonly personId?: string | undefined },
  ): Promise<BegunSignIn | ProviderFailure>;
  /** `requestTarget` is the path and the query of the request to the callback path. */
  complete(requestTarget: string, secret: string | undefined): Promise<CompletedSignIn | ProviderFailure>;
  verifyLogoutToken(providerId: string, token: string): Promise<ProviderLogout | ProviderFailure>;
  /** Where a person also signs out of the provider. Undefined unless the operator wants it and the provider has it. */
  findEndSessionUrl(providerId: string): Promise<string | undefined>;
}
