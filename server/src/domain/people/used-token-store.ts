/** Values that may be used once, such as challenges and logout tokens. */
export interface UsedTokenStore {
  /** False if it was used before. It is remembered for this long. */
  use(digest: Buffer, seconds: number): Promise<boolean>;
  purge(count: number): Promise<number>;
}
