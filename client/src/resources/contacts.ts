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

/** Which contacts to list; all if nothing is given. */
export interface ContactFilter extends Omit<ListContactsQuery, 'limit' | 'cursor'>, CallOptions {}

/** What an import does with contacts, or would do. */
export interface ContactChanges {
  /** Contacts that are new. */
  created: ImportedContact[];
  /** Contacts that get other details. */
  changed: ImportedContact[];
  /** Contacts that are as they were. */
  unchanged: ImportedContact[];
}

/** The server takes so many in a request. */
const contactsPerImport = 1_000;

/** The account's contacts, and those that the administrator gives every account. */
export class Contacts {
  readonly #api: ApiClient;

  /** @internal */
  constructor(api: ApiClient) {
    this.#api = api;
  }

  /** Lists contacts by address. */
  list({ signal, ...filter }: ContactFilter = {}): AsyncGenerator<Contact, void, void> {
    return this.#api.list<Contact>('contacts', filter, { signal });
  }

  /**
   * Finds the account's own contact with an address, or else the administrator's.
   *
   * @param email The contact's address.
   */
  async get(email: string, options: CallOptions = {}): Promise<Contact> {
    return await this.#api.get(toPath('contacts', email), {}, options);
  }

  /**
   * Adds a contact or replaces it: what is not given is empty.
   *
   * @param email The contact's address.
   */
  async put(email: string, details: ContactDetails, options: CallOptions = {}): Promise<Contact> {
    return await this.#api.put(toPath('contacts', email), details, options);
  }

  /**
   * Removes one of the account's own contacts.
   *
   * @param email The contact's address.
   */
  async remove(email: string, options: CallOptions = {}): Promise<void> {
    await this.#api.delete(toPath('contacts', email), options);
  }

  /**
   * Adds contacts, or changes those that exist: given fields are replaced, all others stay. Of each 1,000, all are
   * imported, or none if anything is wrong.
   */
  async import(contacts: readonly ImportedContact[], options: CallOptions = {}): Promise<ContactChanges> {
    return await this.#importInBatches('contacts/import', contacts, options);
  }

  /** Tells what `import` would do with these contacts now. Finds everything that is wrong with them, and changes nothing. */
  async compare(contacts: readonly ImportedContact[], options: CallOptions = {}): Promise<ContactChanges> {
    return await this.#importInBatches('contacts/import?dry_run=true', contacts, options);
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
      // In the order of the request.
      for (const [index, { result }] of response.contacts.entries())
        changes[result].push(some[index] as ImportedContact);
    }
    return changes;
  }
}

/** Faults name the place of a contact in the whole list, not in the part that was sent. */
function shiftFaults(start: number, error: unknown): unknown {
  if (start === 0 || !isWaybillError(error) || error.faults.length === 0) return error;
  const { code, message, status, instance, retryAfterSeconds } = error;
  const faults = error.faults.map((fault) => ({
    ...fault,
    pointer: fault.pointer.replace(/(?<=^\/contacts\/)\d+/, (index) => String(Number(index) + start)),
  }));
  return new WaybillError(code, message, { status, instance, retryAfterSeconds, faults, cause: error });
}
