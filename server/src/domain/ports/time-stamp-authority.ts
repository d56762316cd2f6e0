/** An authority that stamps the evidence log (RFC 3161). */
export interface TimeStampAuthority {
  /** Checkpoints are stamped at most this often. */
  readonly everySeconds: number;
  /** Whether signatures are verified when time stamps arrive. */
  readonly isVerified: boolean;
  /**
   * Returns a token that is for this text. Ends within seconds; throws a TimeStampError whose message says why there is none.
   */
  stamp(text: string, signal: AbortSignal): Promise<Buffer>;
}
