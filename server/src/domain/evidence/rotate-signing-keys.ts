import type { ByCommand } from '../audit/audit-store.ts';
import { record, serverAccountId } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { isLost } from '../keys/wrapping.ts';
import type { Log } from './log-store.ts';
import { createKeys, formatKeyId, toContext, toVerifierKey } from './signing-keys.ts';

type Needs = Pick<Engines, 'store' | 'masterKeys' | 'random'> & ByCommand;

/** Adds a key of each algorithm to the log, which signs with both the old and the new ones from now on. */
export async function addSigningKeys(engines: Needs): Promise<{ readonly log: Log; readonly keys: readonly string[] }> {
  const { store, administrator: author } = engines;
  const log = await findCurrent(engines);
  const added = await createKeys(engines, log.origin);
  const keys = added.map((key) => toVerifierKey(log.origin, key));
  await store.transaction(async (tx) => {
    await lockCurrent(tx, log);
    for (const key of added) await tx.evidenceLog.addKey(log.epoch, key);
    await tx.evidence.append(keys.map((key) => ({ accountId: serverAccountId, kind: 'log.key_added', data: { key } })));
    await record(engines, tx, { accountId: serverAccountId, author, action: 'log.key_added', details: { keys } });
  });
  return { log, keys };
}

/** Stops signing with a key, unless it is the last of its algorithm, and destroys its private part. */
export async function retireSigningKey(engines: Needs, keyId: number): Promise<string> {
  const { store, administrator: author } = engines;
  const log = await findCurrent(engines);
  return store.transaction(async (tx) => {
    // Two at once would each see the other's key remain.
    await lockCurrent(tx, log);
    const active = (await tx.evidenceLog.listKeys(log.epoch)).filter(({ retiredAt }) => retiredAt === null);
    const key = active.find((one) => one.keyId === keyId);
    if (!key)
      throw new ExchangeError('not_found', 'The log has no such key that signs. See: waybilld admin log status');
    if (active.filter(({ algorithm }) => algorithm === key.algorithm).length === 1) {
      throw new ExchangeError(
        'precondition_failed',
        'It is the only key of its algorithm. Add another one first: waybilld admin log rotate-key',
      );
    }
    if (!(await tx.evidenceLog.retireKey(log.epoch, keyId))) throw new ExchangeError('precondition_failed');
    const verifierKey = toVerifierKey(log.origin, key);
    await tx.evidence.append([{ accountId: serverAccountId, kind: 'log.key_retired', data: { key: verifierKey } }]);
    await record(engines, tx, {
      accountId: serverAccountId,
      author,
      action: 'log.key_retired',
      details: { key: verifierKey },
    });
    return verifierKey;
  });
}

async function findCurrent({ store }: Needs): Promise<Log> {
  const log = (await store.evidenceLog.list()).find(({ endedAt }) => endedAt === null);
  if (log) return log;
  throw new ExchangeError('precondition_failed', 'There is no log yet. It starts with the process `work`.');
}

async function lockCurrent({ evidenceLog }: Pick<Needs['store'], 'evidenceLog'>, { epoch }: Log): Promise<void> {
  if (await evidenceLog.lockKeys(epoch)) return;
  throw new ExchangeError(
    'precondition_failed',
    'Another epoch of the log has started meanwhile. See: waybilld admin log status',
  );
}

/** Wraps by the current master key the signing keys that another one wraps. Returns how many. */
export async function wrapSigningKeysAgain(
  { store, masterKeys }: Pick<Engines, 'store' | 'masterKeys'>,
  current: number | undefined,
  onLost: (key: string) => void,
): Promise<number> {
  const origins = new Map((await store.evidenceLog.list()).map(({ epoch, origin }) => [epoch, origin]));
  let replaced = 0;
  for (const key of await store.evidenceLog.listKeys()) {
    if (key.wrapped === null || key.version === current) continue;
    const context = toContext(origins.get(key.epoch) ?? '', key.keyId);
    const seed = await masterKeys.unwrap(key.wrapped, key.version, context).catch((error: unknown) => {
      if (!isLost(error)) throw error;
      onLost(`signing key ${formatKeyId(key.keyId)} of epoch ${key.epoch}`);
      return undefined;
    });
    if (!seed) continue;
    const wrapped = await masterKeys.wrap(seed, context);
    seed.fill(0);
    if (await store.evidenceLog.replaceKey(key, wrapped)) replaced += 1;
  }
  return replaced;
}
