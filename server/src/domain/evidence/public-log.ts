import { formatPolicy, parseLogPath } from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { readCheckpoint } from './published-checkpoint.ts';
import { maxCheckpointBytes, readLogFile, tileWidth, toCheckpointName } from './read-log.ts';
import { toVerifierKey } from './signing-keys.ts';

/** However many readers there are, the database and the bucket are asked for what changes this often. */
const freshMs = 1_000;
/** Epochs whose checkpoint is kept for that long. */
const maxKept = 16;
const always = new AbortController().signal;

/** The log as everybody may read it. Tiles are looked for only if the published checkpoint covers them. */
export class PublicLog {
  readonly #engines: Pick<Engines, 'store' | 'logObjects' | 'policy' | 'witnesses'>;
  readonly #kept = new Map<string, { readonly value: Promise<unknown>; readonly atMs: number }>();

  constructor(engines: Pick<Engines, 'store' | 'logObjects' | 'policy' | 'witnesses'>) {
    this.#engines = engines;
  }

  /** The keys of all epochs, and the witnesses. */
  async readPolicy(): Promise<string> {
    return this.#keep('policy', () => makeLogPolicy(this.#engines, this.#engines.witnesses.rules));
  }

  async readCheckpoint(epoch: number): Promise<Buffer> {
    const lastEpoch = await this.#keep('epochs', async () => {
      const logs = await this.#engines.store.evidenceLog.list();
      return logs.at(-1)?.epoch ?? 0;
    });
    // Also one that a restored database does not know, if it is before the last.
    if (epoch > lastEpoch) throw new ExchangeError('not_found');
    const { logObjects } = this.#engines;
    const found = await this.#keep(`epoch ${epoch}`, () =>
      logObjects.read(toCheckpointName(epoch), maxCheckpointBytes, always),
    );
    if (!found) throw new ExchangeError('not_found');
    return found;
  }

  /** A tile or a bundle, by its path in the log. */
  async readFile(epoch: number, path: string, signal: AbortSignal): Promise<Buffer> {
    const parsed = parseLogPath(path);
    if (!parsed) throw new ExchangeError('not_found');
    const { level, index, width } = 'tile' in parsed ? parsed.tile : { level: 0, ...parsed.bundle };
    const { size } = readCheckpoint((await this.readCheckpoint(epoch)).toString()) ?? { size: 0 };
    if (index * tileWidth + width > Math.floor(size / tileWidth ** level)) throw new ExchangeError('not_found');
    const found = await readLogFile(this.#engines.logObjects, epoch, path, signal);
    if (!found) throw new ExchangeError('not_found');
    return found;
  }

  #keep<Value>(name: string, load: () => Promise<Value>): Promise<Value> {
    const nowMs = performance.now();
    const kept = this.#kept.get(name);
    if (kept && nowMs - kept.atMs < freshMs) return kept.value as Promise<Value>;
    this.#kept.delete(name);
    const value = load();
    this.#kept.set(name, { value, atMs: nowMs });
    value.catch(() => {
      if (this.#kept.get(name)?.value === value) this.#kept.delete(name);
    });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > maxKept && oldest !== undefined) this.#kept.delete(oldest);
    return value;
  }
}

/**
 * Returns the keys of all epochs as a policy by which receipts are verified; retired keys have signed what was published
 * before. Without a log yet, it is empty. `rules` are the lines of witnesses and the quorum.
 */
export async function makeLogPolicy(
  { store, policy }: Pick<Engines, 'store' | 'policy'>,
  rules?: string,
): Promise<string> {
  const logs = await store.evidenceLog.list();
  if (logs.length === 0) return '';
  const keys = await store.evidenceLog.listKeys();
  const lines = logs.flatMap(({ epoch, origin }) =>
    keys
      .filter((key) => key.epoch === epoch)
      .map((key) => ({ key: toVerifierKey(origin, key), url: `${policy.publicUrl}/log/${epoch}` })),
  );
  return formatPolicy(lines, rules);
}
