import type { Account } from '../accounts/account-store.ts';
import type { ByCommand } from '../audit/audit-store.ts';
import { record } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { query } from '../query.ts';

const maxNameLength = 100;
const maxReasonLength = 1000;

/**
 * Keeps everything of a drop, or of an account, from being deleted until the hold is released. The deadline of a drop
 * stays as it is: after it, its files can no longer be downloaded. Returns the hold's id.
 */
export async function placeHold(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  account: Pick<Account, 'id' | 'email'>,
  { dropId, name, reason, by }: { dropId: string | null; name: string; reason: string; by: string },
): Promise<string> {
  for (const [what, text, max] of [
    ['name', name, maxNameLength],
    ['reason', reason, maxReasonLength],
    ['person', by, maxNameLength],
  ] as const) {
    if (text.trim() === '' || text.length > max || /[\p{Cc}\p{Cf}]/u.test(text)) {
      throw new ExchangeError('invalid_input', `The ${what} has 1 to ${max} characters on one line.`);
    }
  }
  const id = engines.random.uuid();
  await engines.store.transaction(async (tx) => {
    if (!(await tx.holds.place({ id, accountId: account.id, dropId, name, reason, placedBy: by }))) {
      throw new ExchangeError('not_found', `${account.email} has no drop ${dropId}.`);
    }
    await record(engines, tx, {
      accountId: account.id,
      author: { ...engines.administrator, name: by },
      action: 'hold.placed',
      details: { holdId: id, ...(dropId && { dropId }), name, reason },
    });
  });
  return id;
}

export const listHolds = query((store) => store.holds.page);

/** The next sweep deletes everything that is due and that no other hold keeps. */
export async function releaseHold(
  engines: Pick<Engines, 'store' | 'random'> & ByCommand,
  id: string,
  by: string,
): Promise<void> {
  await engines.store.transaction(async (tx) => {
    const released = await tx.holds.release(id, by);
    if (!released) {
      throw new ExchangeError(
        'not_found',
        `No hold ${id} is in force. To see those that are: waybilld admin holds list`,
      );
    }
    const { accountId, dropId, name } = released;
    await record(engines, tx, {
      accountId,
      author: { ...engines.administrator, name: by },
      action: 'hold.released',
      details: { holdId: id, ...(dropId && { dropId }), name },
    });
  });
}
