import { hash } from 'node:crypto';
import { toSubscriber } from '../accounts/network.ts';
import { linkAuthor } from '../audit/author.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { issueCode } from '../links/issue-code.ts';
import type { Link, LinkSession } from '../links/link-store.ts';
import type { AttemptCount, AttemptRule } from '../ports/limits.ts';
import { findPasswordFault, type PasswordContext } from '../sign-in/password-rules.ts';

/** Letters without regard to case, and no spaces or hyphens: a passphrase is often told on the telephone. */
function normalizePassphrase(typed: string): string {
  return typed
    .normalize('NFKC')
    .replaceAll(/[\s\p{Dash_Punctuation}]/gu, '')
    .toLowerCase();
}

/** Whether this can be a passphrase: by the rules for a new password of somebody who is known by these texts. */
export function isGoodPassphrase(passphrase: string, context: PasswordContext): boolean {
  return findPasswordFault(normalizePassphrase(passphrase), context) === undefined;
}

/** Letters and digits that are not taken for one another, on paper or on the telephone. */
const clearCharacters = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Makes a passphrase of 12 characters in groups of four, of 59 bits: more than anybody can try. */
export function suggestPassphrase({ random }: Pick<Engines, 'random'>): string {
  const limit = 256 - (256 % clearCharacters.length);
  const chosen: string[] = [];
  while (chosen.length < 12)
    for (const byte of random.bytes(12))
      if (byte < limit && chosen.length < 12) chosen.push(clearCharacters[byte % clearCharacters.length] as string);
  return [0, 4, 8].map((from) => chosen.slice(from, from + 4).join('')).join('-');
}

export function hashPassphrase({ passphrases }: Pick<Engines, 'passphrases'>, passphrase: string): Promise<string> {
  return passphrases.hash(normalizePassphrase(passphrase));
}

/**
 * The tries of those who have a link. Nobody is locked out by what others do with the link for longer than a quarter of an
 * hour, and a guesser has about 100 tries a day, too few for any passphrase that `isGoodPassphrase` accepts.
 */
const rules = {
  /** One link from one network. */
  here: { free: 5, firstDelaySeconds: 30, maxDelaySeconds: 3_600, decaySeconds: 1_800 },
  /** One link from everywhere. */
  link: { free: 20, firstDelaySeconds: 1, maxDelaySeconds: 900, decaySeconds: 900 },
  /** All links from one network. */
  network: { free: 100, firstDelaySeconds: 1, maxDelaySeconds: 60, decaySeconds: 5 },
} as const satisfies Record<string, AttemptRule>;

function listCounts({ accountId, dropId, position }: Link, address: string): AttemptCount[] {
  const [link, network] = [`${accountId}/${dropId}/${position}`, toSubscriber(address)];
  const count = (rule: keyof typeof rules, ...subject: readonly string[]): AttemptCount => ({
    key: `passphrase-${rule}:${hash('sha256', JSON.stringify(subject), 'base64url')}`,
    rule: rules[rule],
  });
  return [count('here', link, network), count('link', link), count('network', network)];
}

type Needs = Pick<Engines, 'store' | 'random' | 'policy' | 'sms' | 'attemptLimit' | 'passphrases'>;

/**
 * Whether this is the passphrase of the link's drop. If so, this browser is not asked for it again, and a code is sent if
 * one is required. A try is counted before it is checked. Throws `too_many_requests` if there were too many.
 */
export async function enterPassphrase(
  engines: Needs,
  session: LinkSession,
  typed: string,
  address: string,
): Promise<boolean> {
  const { store, attemptLimit, passphrases } = engines;
  const { link, digest } = session;
  const counts = listCounts(link, address);
  const retryAfterSeconds = await attemptLimit.acquire(counts);
  if (retryAfterSeconds > 0) throw new ExchangeError('too_many_requests', tooManyTries, { retryAfterSeconds });
  let isRight: boolean;
  try {
    isRight = await passphrases.verify(normalizePassphrase(typed), await store.links.readPassphrase(link));
  } catch (error) {
    await attemptLimit.release(counts);
    throw error;
  }
  if (isRight) await attemptLimit.release(counts);
  const { accountId, dropId, position, receiver } = link;
  const details = { dropId, position };
  const entry = { accountId, author: linkAuthor(link, address), addresses: [receiver], details };
  if (!isRight) {
    await record(engines, store, { ...entry, action: 'link.passphrase_failed' });
    return false;
  }
  await store.transaction(async (tx) => {
    // The same form may have been sent twice at once.
    if (!(await tx.links.passPassphrase(digest))) return;
    await tx.evidence.append([{ accountId, dropId, position, kind: 'passphrase.entered', data: {} }]);
    await record(engines, tx, { ...entry, action: 'link.passphrase_entered' });
    await issueCode({ ...engines, store: tx }, link, digest);
  });
  return true;
}

const tooManyTries =
  'There were too many wrong passphrases. Ask the sender for the right one, and try again after Retry-After seconds.';
