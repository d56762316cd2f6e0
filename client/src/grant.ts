import { createHash } from 'node:crypto';
import { canonicalAddress, contactOf } from './address.ts';
import { jsonOf } from './answer.ts';
import type { PostOptions } from './call-options.ts';
import type { Contacts } from './contacts.ts';
import { isWaybillError, WaybillError } from './errors.ts';
import type { MachineCaller } from './machine-caller.ts';
import type { ContactInput, DispatchParameters } from './wire.ts';

export interface RequestOptions extends PostOptions {
  /** Those who are not contacts yet are added to the account's contacts. */
  to: readonly (string | ContactInput)[];
  message?: string | undefined;
  /** How long the page can be used. Absent: the server's default. */
  days?: number | undefined;
}

export interface Requested {
  idempotencyKey: string;
  /** An earlier call with the same key has made the request; this call asked nobody. */
  repeated: boolean;
}

/** Nobody is ever asked from this draft, so that a request from it succeeds only if it is a repetition. */
const emptyDraft = 'nothing-here';

/** Gives contacts a page on which they can upload files. This is not part of /api/v1 yet. */
export class Grants {
  readonly #caller: MachineCaller;
  readonly #contacts: Contacts;

  /** @internal */
  constructor(caller: MachineCaller, contacts: Contacts) {
    this.#caller = caller;
    this.#contacts = contacts;
  }

  async make(idempotencyKey: string, options: RequestOptions): Promise<Requested> {
    const { signal, to } = options;
    if (to.length === 0) throw new WaybillError('no_receivers', 'Name at least one receiver.');
    // A repeated request uses the same draft, whatever characters the key has.
    const draft = `send-${createHash('sha256').update(idempotencyKey).digest('hex').slice(0, 48)}`;
    if (options.idempotencyKey !== undefined && (await this.#wasMade(draft, idempotencyKey, options))) {
      return { idempotencyKey, repeated: true };
    }
    const receivers = to.map(contactOf);
    const setReceivers = () => this.#post(draft, 'cgi/receivers_set.cgi', receivers, {}, signal);
    await setReceivers().catch(async (error: unknown) => {
      if (!isWaybillError(error, 'unknown_contact')) throw error;
      await this.#addMissing(receivers, signal);
      await setReceivers();
    });
    await this.#grant(draft, idempotencyKey, options);
    return { idempotencyKey, repeated: false };
  }

  /**
   * Whether a request with this key was made before. A known key is tried once more from its own draft, where it cannot
   * change anything: a server may count the draft as a part of the request.
   */
  async #wasMade(draft: string, idempotencyKey: string, options: RequestOptions): Promise<boolean> {
    try {
      await this.#grant(emptyDraft, idempotencyKey, options);
      return true;
    } catch (error) {
      if (isWaybillError(error, 'no_receivers')) return false;
      if (!isWaybillError(error, 'idempotency_key_reused')) throw error;
    }
    await this.#grant(draft, idempotencyKey, options);
    return true;
  }

  async #addMissing(receivers: readonly ContactInput[], signal: AbortSignal | undefined): Promise<void> {
    const { local, global } = await this.#contacts.list({ signal });
    const known = new Set([...local, ...global].map(({ email }) => email));
    const missing = receivers.filter(({ email }) => !known.has(canonicalAddress(email)));
    await this.#contacts.upsert(missing, { signal });
  }

  async #grant(draft: string, idempotencyKey: string, { days, message, signal }: RequestOptions): Promise<void> {
    const parameters: DispatchParameters = {
      ...(days === undefined ? {} : { desttime: days }),
      ...(message === undefined ? {} : { ddmessage: message }),
    };
    await this.#post(draft, 'cgi/givedrop.cgi', parameters, { 'Idempotency-Key': idempotencyKey }, signal);
  }

  async #post(
    draft: string,
    path: string,
    value: unknown,
    headers: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const body = Buffer.from(JSON.stringify(value));
    await this.#caller.call({
      method: 'POST',
      path,
      headers: { 'Content-Type': 'application/json', 'Waybill-Draft': draft, ...headers },
      body: () => body,
      signal,
      read: jsonOf,
    });
  }
}
