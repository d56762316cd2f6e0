import type { CallOptions } from '../call-options.ts';
import { isWaybillError, WaybillError } from '../errors.ts';
import type {
  Contact,
  ContactDetails,
  ContactImportResult,
  ImportedContact,
  ListContactsQuery,
} from '../generated/wire.ts';
import { type ApiClient, toPath } from '../http/api-client.ts';

/** Filters contacts; all are listed by default. */
export interface ContactFilter extends Omit<ListContactsQuery, 'limit' | 'cursor'>, CallOptions {}

/** The result of an import, or of its check. */
export interface ContactChanges {
  /** New contacts. */
  created: ImportedContact[];
  /** Contacts whose details change. */
  changed: ImportedContact[];
  /** Contacts that stay the same. */
  unchanged: ImportedContact[];
}

/** The maximum that the server accepts in a request. */
const contactsPerImport = 1_000;

/** The account's own contacts, and those that every account has. */
export class Contacts {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists contacts, sorted by address. */
  list({ signal, ...filter }: ContactFilter = {}): AsyncGenerator<Contact, void, void> {
    return this.#api.list<Contact>('contacts', filter, { signal });
  }

  /**
   * Gets the account's own contact with an address, or the one that every account has.
   *
   * @param email The contact's address.
   */
  async get(email: string, options: CallOptions = {}): Promise<Contact> {
    return await this.#api.get(toPath('contacts', email), {}, options);
  }

  /**
   * Adds or replaces a contact. Fields that are not given are empty.
   *
   * @param email The contact's address.
   */
  async put(email: string, details: ContactDetails, options: CallOptions = {}): Promise<Contact> {
    return await this.#api.put(toPath('contacts', email), details, options);
  }

  /**
   * Deletes one of the account's own contacts.
   *
   * @param email The contact's address.
   */
  async delete(email: string, options: CallOptions = {}): Promise<void> {
    await this.#api.delete(toPath('contacts', email), options);
  }

  /**
   * Adds contacts, or changes those that exist: fields that are given are replaced, all others stay. Contacts are
   * imported in batches of 1,000; a batch with a fault is not imported at all.
   */
  async import(contacts: readonly ImportedContact[], options: CallOptions = {}): Promise<ContactChanges> {
    return await this.#importInBatches('contacts/import', contacts, options);
  }

  /**
   * Returns what `import` would do with these contacts, and changes nothing. Throws an error with all their faults if
   * there are any.
   */
  async checkImport(contacts: readonly ImportedContact[], options: CallOptions = {}): Promise<ContactChanges> {
    return await this.#importInBatches('contacts/import/check', contacts, options);
  }

  async #importInBatches(
    path: string,
    contacts: readonly ImportedContact[],
    options: CallOptions,
  ): Promise<ContactChanges> {
    const changes: ContactChanges = { created: [], changed: [], unchanged: [] };
    for (let start = 0; start < contacts.length; start += contactsPerImport) {
      const some = contacts.slice(start, start + contactsPerImport);
      const response = await this.#api
        .post<ContactImportResult>(path, { contacts: some }, options)
        .catch((error: unknown) => Promise.reject(shiftFaults(start, error)));
      // Results are in the order of the request.
      for (const [index, { result }] of response.contacts.entries())
        changes[result].push(some[index] as ImportedContact);
    }
    return changes;
  }
}

/** Makes faults point to the position in the whole list, not in the batch. */
function shiftFaults(start: number, error: unknown): unknown {
  if (start === 0 || !isWaybillError(error) || error.faults.length === 0) return error;
  const { code, message, status, instance, retryAfterSeconds } = error;
  const faults = error.faults.map((fault) => ({
    ...fault,
    ...(fault.pointer === undefined
      ? {}
      : { pointer: fault.pointer.replace(/(?<=^\/contacts\/)\d+/, (index) => String(Number(index) + start)) }),
  }));
  return new WaybillError(code, message, { status, instance, retryAfterSeconds, faults, cause: error });
}
