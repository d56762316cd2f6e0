import type { CallOptions } from '../call-options.ts';
import type { AvailableReceipt, ListReceiptsQuery } from '../generated/wire.ts';
import type { ApiClient } from '../http/api-client.ts';

/** Restricts a list of receipts. */
export interface ReceiptFilter extends Pick<ListReceiptsQuery, 'receiver_email'>, CallOptions {}

/** The receipts of what the account has sent. `receiptToFile` of drops and requests stores one. */
export class Receipts {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /**
   * Lists the receipts that can be made of a drop or a request, also after it was removed from the history.
   *
   * @param reference Its reference, such as `WB-7F3K-29QD`, or its id.
   */
  list(reference: string, { signal, ...filter }: ReceiptFilter = {}): AsyncGenerator<AvailableReceipt, void, void> {
    return this.#api.list<AvailableReceipt>('receipts', { reference, ...filter }, { signal });
  }
}
