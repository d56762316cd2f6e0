import { canonicalAddress, contactOf } from './address.ts';
import { jsonOf } from './answer.ts';
import { isWaybillError, WaybillError } from './errors.ts';
import type { MachineCaller } from './machine-caller.ts';
import { jitter, type Patience } from './patience.ts';
import type { Surroundings } from './surroundings.ts';
import type { Contact, ContactInput, ContactList } from './wire.ts';

interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** How contacts differ from those that the account has. */
export interface ContactChanges {
  added: ContactInput[];
  changed: { before: Contact; given: ContactInput }[];
  unchanged: Contact[];
}

/** A change that conflicts with so many others is given up: something else is wrong. */
const maxConflicts = 200;
const conflictPatience: Pick<Patience, 'firstPauseMs' | 'longestPauseMs'> = { firstPauseMs: 20, longestPauseMs: 1_000 };

/**
 * The account's contacts. The API replaces the whole list at once; each change here reads the list, changes it, and
 * writes it on condition that nobody else has written in the meantime. If somebody has, it starts over.
 */
export class Contacts {
  readonly #caller: MachineCaller;
  readonly #surroundings: Surroundings;

  /** @internal */
  constructor(caller: MachineCaller, surroundings: Surroundings) {
    this.#caller = caller;
    this.#surroundings = surroundings;
  }

  async list({ signal }: CallOptions = {}): Promise<ContactList> {
    return (await this.#read(signal)).list;
  }

  /** Adds new contacts. If one exists already, the call fails and changes nothing. */
  async add(contacts: readonly (string | ContactInput)[], { signal }: CallOptions = {}): Promise<void> {
    const wanted = byAddress(contacts);
    let tried = false;
    await this.#change(signal, (current) => {
      const known = current.filter(({ email }) => wanted.has(email));
      // This is our own write, whose answer was lost.
      if (tried && known.length === wanted.size && known.every((contact) => agrees(contact, wanted))) return undefined;
      const [first] = known;
      if (first) {
        throw new WaybillError('contact_exists', `${first.email} is already a contact; nothing was changed.`);
      }
      tried = true;
      return [...current, ...wanted.values()];
    });
  }

  /** Removes contacts, and ignores addresses that are not contacts. Returns how many were removed. */
  async remove(addresses: readonly string[], { signal }: CallOptions = {}): Promise<number> {
    const unwanted = new Set(addresses.map(canonicalAddress));
    let max = 0;
    await this.#change(signal, (current) => {
      const left = current.filter(({ email }) => !unwanted.has(email));
      max = Math.max(max, current.length - left.length);
      return left.length === current.length ? undefined : left;
    });
    return max;
  }

  /** Adds contacts, or changes those that exist: given fields are replaced, all others stay. */
  async upsert(contacts: readonly (string | ContactInput)[], { signal }: CallOptions = {}): Promise<void> {
    const wanted = byAddress(contacts);
    await this.#change(signal, (current) => {
      const missing = new Map(wanted);
      const merged = current.map((contact) => {
        missing.delete(contact.email);
        return agrees(contact, wanted) ? contact : { ...contact, ...wanted.get(contact.email), email: contact.email };
      });
      const changed = missing.size > 0 || merged.some((contact, index) => contact !== current[index]);
      return changed ? [...merged, ...missing.values()] : undefined;
    });
  }

  /** What `upsert` would do with these contacts now. */
  async compare(contacts: readonly (string | ContactInput)[], { signal }: CallOptions = {}): Promise<ContactChanges> {
    const wanted = byAddress(contacts);
    const { local } = await this.list({ signal });
    const known = new Map(local.map((contact) => [contact.email, contact]));
    const changes: ContactChanges = { added: [], changed: [], unchanged: [] };
    for (const [email, contact] of wanted) {
      const before = known.get(email);
      if (before === undefined) changes.added.push(contact);
      else if (agrees(before, wanted)) changes.unchanged.push(before);
      else changes.changed.push({ before, given: contact });
    }
    return changes;
  }

  async #change(
    signal: AbortSignal | undefined,
    change: (current: readonly Contact[]) => readonly ContactInput[] | undefined,
  ): Promise<void> {
    for (let conflicts = 1; ; conflicts += 1) {
      const { list, version } = await this.#read(signal);
      const changed = change(list.local);
      if (changed === undefined) return;
      try {
        await this.#write(changed, version, signal);
        return;
      } catch (error) {
        if (!isWaybillError(error, 'precondition_failed') || conflicts >= maxConflicts) throw error;
      }
      const patience = { ...conflictPatience, attempts: 0, longestRetryAfterMs: 0 };
      await this.#surroundings.sleep(jitter(patience, this.#surroundings, conflicts), signal);
    }
  }

  #read(signal: AbortSignal | undefined): Promise<{ list: ContactList; version: string }> {
    return this.#caller.call({
      method: 'GET',
      path: 'cgi/contacts_read.cgi',
      signal,
      read: async (answer) => {
        const version = answer.headers.etag;
        // Without a version, a change could undo another writer's.
        if (version === undefined) {
          throw new WaybillError(
            'unexpected_answer',
            'The server’s list of contacts has no version. It may not be a Waybill server.',
          );
        }
        return { list: await jsonOf<ContactList>(answer), version };
      },
    });
  }

  async #write(contacts: readonly ContactInput[], version: string, signal: AbortSignal | undefined): Promise<void> {
    const body = Buffer.from(JSON.stringify(contacts));
    await this.#caller.call({
      method: 'POST',
      path: 'cgi/contacts_add.cgi',
      headers: { 'Content-Type': 'application/json', 'If-Match': version, Prefer: 'handling=lenient' },
      body: () => body,
      signal,
      read: jsonOf,
    });
  }
}

function byAddress(contacts: readonly (string | ContactInput)[]): Map<string, ContactInput> {
  const found = new Map<string, ContactInput>();
  for (const contact of contacts.map(contactOf)) {
    const email = canonicalAddress(contact.email);
    if (found.has(email)) throw new WaybillError('contact_exists', `${email} appears twice in the list.`);
    // Only receivers have a name; contacts do not.
    const { name: _name, ...kept } = contact;
    found.set(email, { ...kept, email });
  }
  return found;
}

/** Whether a contact has every wanted value. */
function agrees(contact: Contact, wanted: ReadonlyMap<string, ContactInput>): boolean {
  const { number, language, groups, nick } = wanted.get(contact.email) ?? {};
  return (
    (number === undefined || String(number) === contact.number) &&
    (language === undefined || language === contact.language) &&
    (groups === undefined || JSON.stringify(groups) === JSON.stringify(contact.groups)) &&
    (nick === undefined || nick === contact.nick)
  );
}
