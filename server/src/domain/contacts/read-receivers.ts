import { limits } from '@waybill/protocol';
import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { inTurns } from '../flow/in-turns.ts';
import { toVisibleName } from '../safe-name.ts';
import type { KnownReceiver } from './contact-store.ts';
import { emailAddress } from './email-address.ts';
import { findDomain, findNearMisses, type NearMiss } from './near-miss.ts';

/** How a text that names receivers was understood. */
export interface UnderstoodReceivers {
  /** Each of them once, with the name in the text, or else the one in the contacts. */
  readonly receivers: readonly KnownReceiver[];
  /** The addresses that the text has more than once. */
  readonly repeated: readonly string[];
  /** The parts that are neither an address, nor a group, nor the name of one contact. */
  readonly unreadable: readonly string[];
  /** The addresses that are probably meant to be others, which the account knows. */
  readonly nearMisses: readonly NearMiss[];
}

/** A part of the text: an address, perhaps with a name, or another word. */
type Written = { readonly email: string; readonly name: string } | { readonly word: string };

/** A person writes few names of groups, and a pasted text of anything else must not ask for each of its lines. */
const maxWords = 20;
/** Enough to have everyone whom somebody writes to regularly. */
const maxKnown = 1000;
/** Receivers may be repeated, but a text with more parts than this, empty ones too, is no list of them. What follows is unreadable. */
const maxParts = 5 * limits.receiversPerDispatch;

/** Understands a list of receivers as people write, or paste, it: addresses, names and groups of contacts. */
export async function readReceivers(
  { store }: Pick<Engines, 'store'>,
  { accountId }: Pick<Actor, 'accountId'>,
  text: string,
): Promise<UnderstoodReceivers> {
  const found = new Map<string, KnownReceiver>();
  const repeated = new Set<string>();
  const unreadable: string[] = [];
  let [parts, words] = [0, 0];
  for await (const written of inTurns(splitReceivers(text))) {
    parts += 1;
    if (parts > maxParts) {
      unreadable.push(written === undefined ? '…' : 'email' in written ? written.email : written.word);
      break;
    }
    if (written === undefined) continue;
    if ('email' in written) {
      if (found.has(written.email)) repeated.add(written.email);
      else found.set(written.email, { ...written, hasPhone: false });
      continue;
    }
    words += 1;
    const people = words > maxWords ? [] : await findByWord(store, accountId, written.word);
    if (people.length === 0) unreadable.push(written.word);
    // Members of two groups are no mistake.
    for (const person of people) if (!found.has(person.email)) found.set(person.email, person);
  }
  const emails = [...found.keys()];
  const contacts = new Map((await store.contacts.find(accountId, emails)).map((contact) => [contact.email, contact]));
  const nearMisses = await readNearMisses(store, accountId, emails);
  return {
    receivers: [...found.values()].map(({ email, name, hasPhone }) => {
      const contact = contacts.get(email);
      return { email, name: name || contact?.name || '', hasPhone: contact ? contact.phone !== '' : hasPhone };
    }),
    repeated: [...repeated],
    unreadable,
    nearMisses,
  };
}

/** A group comes before a person with its name. A name that several people have is none of them. */
async function findByWord(
  { receivers }: Pick<Engines['store'], 'receivers'>,
  accountId: string,
  word: string,
): Promise<KnownReceiver[]> {
  if (word.length > limits.nameLength) return [];
  const members = await receivers.inGroup(accountId, word, limits.receiversPerDispatch);
  if (members.length > 0) return members;
  const named = await receivers.named(accountId, word, 2);
  return named.length === 1 ? named : [];
}

async function readNearMisses(
  { receivers }: Pick<Engines['store'], 'receivers'>,
  accountId: string,
  emails: readonly string[],
): Promise<NearMiss[]> {
  if (emails.length === 0) return [];
  const [known, domains] = await Promise.all([
    receivers.usual(accountId, maxKnown),
    receivers.knownDomains(accountId, [...new Set(emails.map(findDomain))]),
  ]);
  return findNearMisses(emails, known, new Set(domains));
}

/**
 * Lines, semicolons and commas separate receivers, but not within quotes; nor do commas where semicolons separate, as
 * in "Park, Kim <kim@example.org>; Ortega, Tomás <t@example.org>". A part without a letter or digit is undefined, so that
 * the reader can stop among many of them.
 */
export function* splitReceivers(text: string): Generator<Written | undefined, void, void> {
  const separator = text.includes(';') ? /(?:"[^"\n]*"|[^;\n"]|")+/g : /(?:"[^"\n]*"|[^,\n"]|")+/g;
  for (const [piece] of text.replaceAll(/\r\n?/g, '\n').matchAll(separator)) {
    for (const part of hasSeveralAddresses(piece) ? splitFurther(piece) : [piece]) {
      yield /[\p{L}\p{N}]/u.test(part) ? readPiece(part.trim()) : undefined;
    }
  }
}

/** Several addresses in one piece: separated by commas after all, or by spaces. */
function splitFurther(piece: string): string[] {
  return piece.split(piece.includes('<') ? ',' : /[\s,]+/, maxParts + 1);
}

function hasSeveralAddresses(piece: string): boolean {
  return piece.indexOf('@') !== piece.lastIndexOf('@');
}

function readPiece(piece: string): Written {
  const { before, address } = splitAddress(piece) ?? { before: '', address: piece };
  try {
    const email = emailAddress(address.trim().replace(/^mailto:/i, ''));
    const name = toVisibleName(before).slice(0, limits.nameLength);
    return { email, name: name.toLowerCase() === email ? '' : name };
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    // Longer than any name, so that it is none.
    return { word: piece.slice(0, limits.nameLength + 1) };
  }
}

/** The name and the address of `Kim <kim@example.org>`. One expression for both would try each run of spaces many times. */
function splitAddress(piece: string): { before: string; address: string } | undefined {
  const start = piece.lastIndexOf('<');
  const address = piece.slice(start + 1, -1);
  if (start < 0 || !piece.endsWith('>') || address === '' || address.includes('>')) return undefined;
  const [, quoted, bare] = /^(?:"([^"]*)"|([^<>"]*))$/.exec(piece.slice(0, start).trimEnd()) ?? [];
  const before = quoted ?? bare;
  return before === undefined ? undefined : { before, address };
}
