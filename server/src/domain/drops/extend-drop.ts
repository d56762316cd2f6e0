import type { Account } from '../accounts/account-store.ts';
import { readPolicy } from '../accounts/read-policy.ts';
import type { Author, ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { dropEvents } from '../events/drop-events.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { OwnedKey } from '../keys/key-store.ts';
import { prepareForDay } from '../keys/prepare-for-day.ts';
import { requireVersion } from '../require-version.ts';
import type { DropDeadline } from './drop-store.ts';
import { reminderSeconds } from './write-drop.ts';

/** How exactly a time must be one of the allowed lifetimes from now: the caller computed it a moment ago, by another clock. */
const clockToleranceSeconds = 60;

type Needs = Pick<Engines, 'store' | 'dayKeys' | 'random' | 'policy'>;

/**
 * Moves the deadline of a drop or a request to a later time, at most the maximum lifetime from now. Receivers to whom not
 * everything has been sent are reminded before the new deadline, even if they were reminded of the old one.
 */
export async function extendDrop(
  engines: Needs & ByCommand,
  account: Account,
  dropId: string,
  until: Date,
): Promise<void> {
  const extend = await prepareExtension(engines, account, dropId, until);
  await extend(engines, engines.administrator);
}

/** Fetches keys, which may be slow; what is returned is the change, as part of a transaction of the caller's if any. */
export async function prepareExtension(
  engines: Needs,
  account: Pick<Account, 'id' | 'email'>,
  dropId: string,
  until: Date,
): Promise<(within: Pick<Engines, 'store'>, author: Author, ifVersion?: readonly string[]) => Promise<void>> {
  const { unitSeconds, max, only } = (await readPolicy(engines, account.id)).lifetime;
  const untilThen = Math.min((until.getTime() - Date.now()) / 1000, max * unitSeconds);
  const wrapForDay = await prepareForDay(engines, account.id, { dropId }, untilThen);
  const linkKeys = await findLinkKeys(engines, account.id, dropId, untilThen);
  const rewrapLinkKeys = await engines.dayKeys.prepare(linkKeys, untilThen);
  return ({ store }, author, ifVersion) =>
    store.transaction(async (tx) => {
      const drop = await tx.drops.lockDeadline(account.id, dropId);
      if (!drop)
        throw new ExchangeError(
          'not_found',
          `${account.email} has no drop ${dropId}. Check the id in the list of its drops.`,
        );
      requireVersion(ifVersion, drop.version);
      requireLiveDrop(drop);
      const latest = new Date(drop.now.getTime() + max * unitSeconds * 1000);
      if (until <= drop.expiresAt) {
        throw new ExchangeError(
          'invalid_input',
          `Choose a time after ${drop.expiresAt.toISOString()}, which is the deadline now. To end it earlier, revoke it.`,
        );
      }
      if (until > latest) {
        throw new ExchangeError(
          'invalid_input',
          `Choose a time up to ${latest.toISOString()}: that is the longest lifetime the account may give, counted from now.`,
        );
      }
      const secondsLeft = (until.getTime() - drop.now.getTime()) / 1000;
      if (only && !only.some((lifetime) => Math.abs(secondsLeft - lifetime * unitSeconds) <= clockToleranceSeconds)) {
        const times = only.map((lifetime) =>
          new Date(drop.now.getTime() + lifetime * unitSeconds * 1000).toISOString(),
        );
        throw new ExchangeError(
          'invalid_input',
          `Choose ${times.join(' or ')}: those are the only lifetimes the account may give, counted from now.`,
        );
      }
      const reminder = drop.notify ? reminderSeconds(drop.type, secondsLeft) : null;
      await tx.drops.moveDeadline(account.id, dropId, until, reminder);
      await wrapForDay(tx, dropId);
      const replaced = rewrapLinkKeys(linkKeys);
      if (replaced.length > 0) await tx.wrappedKeys.replace('drops', replaced);
      await record(engines, tx, {
        accountId: account.id,
        author,
        action: 'drop.extended',
        details: { dropId },
        before: { expiresAt: drop.expiresAt },
        after: { expiresAt: until },
      });
      const extended = { accountId: account.id, dropId, type: drop.type };
      const data = { expires_at: until.toISOString() };
      await tx.evidence.append([{ accountId: account.id, dropId, kind: 'drop.extended', data }]);
      await tx.events.append(dropEvents(extended, 'extended', data));
    });
}

/** The key of a drop's links, without which nobody can be reminded or sent the link again. */
async function findLinkKeys(
  { store }: Pick<Needs, 'store'>,
  accountId: string,
  dropId: string,
  secondsLeft: number,
): Promise<OwnedKey[]> {
  const key = await store.links.key({ accountId, dropId });
  return key ? [{ accountId, id: dropId, ...key, secondsLeft }] : [];
}

/** A drop that has ended stays ended: its keys are destroyed, or are about to be. */
export function requireLiveDrop({ state, expiresAt }: Pick<DropDeadline, 'state' | 'expiresAt'>): void {
  if (state === 'revoked') {
    throw new ExchangeError('link_revoked', 'It was revoked, and cannot be changed any more. Make a new one instead.');
  }
  if (state === 'expired') {
    throw new ExchangeError('link_ended', `The deadline passed at ${expiresAt.toISOString()}. Make a new one instead.`);
  }
}
