/** At most 60 per account; beyond that, the least recently used is removed. Each use restarts a token's lifetime. */
export interface CsrfTokens {
  mint(accountId: string): Promise<string>;
  accept(accountId: string, token: string): Promise<boolean>;
}
