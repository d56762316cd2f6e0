/** The response to a request, or why there was none. */
export type PostOutcome =
  | { readonly status: number; readonly retryAfterSeconds: number | undefined }
  | { readonly failure: PostFailure };

export type PostFailure =
  | 'no_public_address'
  | 'url_not_allowed'
  | 'no_connection'
  | 'tls_failed'
  | 'timeout'
  | 'broken_response';

/** Sends requests to addresses that accounts chose, and to no address that only this server can reach. */
export interface WebhookSender {
  /** Why nothing would be sent to this URL, as far as can be told without looking up its name. */
  objection(url: string): string | undefined;
  /** Never throws. Follows no redirect. */
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostOutcome>;
}
