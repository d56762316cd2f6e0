// Every way to tamper with the evidence log, on the real database and bucket, and everyone who detects it.
// docs/evidence-log.md has the table that this compares.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  computeRoot,
  createSigner,
  encodeBase64,
  formatCheckpoint,
  formatReceipt,
  formatVerifierKey,
  hashLeaf,
  parseCheckpoint,
  parsePolicy,
  parseReceipt,
  proveInclusion,
  type ReadTile,
  type Receipt,
  signNote,
  toCommitment,
  verifyReceipt,
  type WitnessState,
} from '@waybill/evidence';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWitnessServer, type Witness } from '../../../../client/src/command/witness/serve-witness.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { createEmptyBucket } from '../../../test/object-store.ts';
import { runAdmin } from '../../../test/run-admin.ts';
import { askWitnesses } from '../../engines/outgoing/ask-witnesses.ts';
import { s3LogObjects } from '../../engines/s3/log-objects.ts';
import type { LogObjects } from '../ports/log-objects.ts';
import { buildReceipt } from './build-receipt.ts';
import { askForCosignature } from './collect-cosignatures.ts';
import { commitEvent } from './commit-event.ts';
import { LogCosigner } from './cosign-log.ts';
import { makeLogPolicy } from './public-log.ts';
import { readTilesOf } from './read-log.ts';
import { Sequencer } from './sequencer.ts';
import { openSigners } from './signing-keys.ts';

const exchange = await useTestExchange();
const { query } = exchange.database;
const live = new AbortController().signal;
const folder = mkdtempSync(join(tmpdir(), 'waybill-tampering-'));
const bucket = await createEmptyBucket();
const s3 = s3LogObjects({ ...engineAddresses.s3, bucket: bucket.name });

const witnessName = 'witness.example.com/w1';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const witnessKey = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
const states = new Map<string, WitnessState>();
const witness: Witness = {
  logs: [],
  signers: [
    createSigner({
      name: witnessName,
      type: 4,
      publicKey: witnessKey,
      sign: (text) => sign(null, text, privateKey),
      readTime: () => Math.floor(Date.now() / 1000),
    }),
  ],
  verifierKeys: [],
  state: { get: (origin) => states.get(origin), put: async (origin, next) => void states.set(origin, next) },
  report: () => undefined,
};
const witnessServer = createWitnessServer(witness);
let rules = '';

beforeAll(async () => {
  await once(witnessServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = witnessServer.address() as AddressInfo;
  rules = `witness W ${formatVerifierKey(witnessName, 4, witnessKey)} http://127.0.0.1:${port}\nquorum W\n`;
});
afterAll(async () => {
  process.exitCode = undefined;
  witnessServer.closeAllConnections();
  witnessServer.close();
  s3.close();
  rmSync(folder, { recursive: true });
  await bucket[Symbol.asyncDispose]();
});

/** A log with one delivery: its start, a submission, a consignment, and three times an opened link. */
class TamperedLog {
  readonly #prefix = randomUUID();
  readonly #stored = new Set<string>();
  readonly story: { readonly accountId: string; readonly dropId: string; readonly position: 0 };
  /** The checkpoint that somebody has kept. */
  kept = '';

  private constructor(story: TamperedLog['story']) {
    this.story = story;
  }

  static async open(): Promise<TamperedLog> {
    await query('truncate evidence_entries, evidence_logs, evidence_keys, evidence_time_stamps');
    states.clear();
    const sender = await exchange.account('anna@example.com');
    const dropId = await exchange.drop(sender, ['anna@example.com'], ['a.txt']);
    const log = new TamperedLog({ accountId: sender.accountId, dropId, position: 0 });
    await log.append(3);
    await log.publish();
    return log;
  }

  get logObjects(): LogObjects {
    const toName = (name: string) => `${this.#prefix}/${name}`;
    return {
      put: (name, ...rest) => {
        this.#stored.add(name);
        return s3.put(toName(name), ...rest);
      },
      read: (name, ...rest) => s3.read(toName(name), ...rest),
      delete: (names, ...rest) => s3.delete(names.map(toName), ...rest),
    };
  }

  get engines() {
    return { ...exchange.engines, logObjects: this.logObjects };
  }

  get #witnesses() {
    return askWitnesses({ rules, policy: parsePolicy(rules) });
  }

  async append(count: number): Promise<void> {
    await this.engines.store.evidence.append(
      Array.from({ length: count }, () => ({ ...this.story, kind: 'link.opened' as const, data: {} })),
    );
  }

  /** Publishes what is waiting, has it cosigned, publishes the cosignature, and keeps the checkpoint. */
  async publish(): Promise<void> {
    await this.sequence();
    witness.logs = parsePolicy(await makeLogPolicy(this.engines)).logs;
    expect(await this.cosign()).toBe('');
    await this.sequence();
    this.kept = await this.readCheckpoint();
  }

  async sequence(): Promise<void> {
    const sequencer = new Sequencer(this.engines);
    await sequencer.step(live);
    await sequencer.stop();
  }

  readCheckpoint = async () => String(await this.logObjects.read('1/checkpoint', 65_536, live));
  putCheckpoint = (note: string) => this.logObjects.put('1/checkpoint', Buffer.from(note), live);
  deleteObjects = () => this.logObjects.delete([...this.#stored], live);

  /** Returns why a witness refuses, or nothing. */
  async cosign(): Promise<string> {
    const reasons: string[] = [];
    const logger = {
      ...exchange.engines.logger,
      warn: (_event: string, { reason = '' }: Readonly<Record<string, string | number>>) =>
        void reasons.push(String(reason)),
    };
    await new LogCosigner({ ...this.engines, logger, witnesses: this.#witnesses }).step(live);
    return reasons.join();
  }

  /** Returns why a witness refuses a checkpoint that was shown to it elsewhere. */
  async show(note: string, readTile: ReadTile): Promise<string> {
    const [first] = this.#witnesses.list;
    const checkpoint = parseCheckpoint(note.slice(0, note.indexOf('\n\n') + 1));
    if (!first || !checkpoint) throw new Error('there is no witness or no checkpoint');
    const outcome = await askForCosignature(
      first,
      this.#witnesses.ask,
      { note, checkpoint, readTile },
      new Map(),
      live,
    );
    return 'reason' in outcome ? outcome.reason : '';
  }

  async readReceipt(): Promise<Receipt> {
    return parseReceipt((await buildReceipt(this.engines, this.story, live)).json);
  }

  /** The server refuses to make a receipt that proves nothing, so a forger has to write one. */
  async expectNoReceipt(): Promise<void> {
    await expect(this.readReceipt()).rejects.toMatchObject({ code: 'receipt_unavailable' });
  }

  /** Returns the problems that a verifier with this policy finds, or what it remarks. */
  async verify(receipt: Receipt, policyRules = rules): Promise<string[]> {
    const policy = parsePolicy(await makeLogPolicy(this.engines, policyRules));
    const { problems, facts } = await verifyReceipt(formatReceipt(receipt), policy);
    return [...new Set([...problems, ...(facts?.remarks ?? [])].map(({ code }) => code))].toSorted();
  }

  /** Runs the command, and returns what it found. */
  async check(...options: string[]): Promise<string[]> {
    process.exitCode = undefined;
    const printed = await runAdmin({ engines: this.engines }, 'log', 'check', ...options);
    const [summary = '', ...findings] = printed.trimEnd().split('\n');
    expect(summary).toContain(`${findings.length} contradictions found`);
    expect(process.exitCode).toBe(findings.length > 0 ? 1 : undefined);
    return findings;
  }

  async checkKept(): Promise<string[]> {
    const path = join(folder, `${randomUUID()}.txt`);
    writeFileSync(path, this.kept);
    return (await this.check('--checkpoint', path)).map((line) => line.replace(path, 'KEPT'));
  }

  /** The rows that the database has, with their events. */
  readRows = () => exchange.engines.store.evidence.readLeaves({ epoch: 1, leafIndex: 0 }, 100);
}

interface Tampering {
  readonly name: string;
  /** Returns what differs from what the server itself shows: what a receipt says, and what a witness replies. */
  tamper(log: TamperedLog): Promise<{ readonly receipt?: Receipt; readonly witness?: string } | undefined>;
  readonly check: readonly RegExp[];
  readonly checkKept: readonly RegExp[];
  readonly witness: RegExp | undefined;
  readonly receipt: readonly string[];
}

const uuid = '[0-9a-f-]{36}';
const hex = '[0-9a-f]{64}';
const forked = (size: number) =>
  new RegExp(`^forked: epoch 1: KEPT: the root of ${size} leaves is \\S{44}, but the leaves have \\S{44}$`);

const tamperings: readonly Tampering[] = [
  {
    name: 'an event is edited',
    async tamper(log) {
      const honest = await log.readReceipt();
      await query(
        `update evidence_entries set data = jsonb_set(data, '{reference}', '"WB-0000-0000"') where leaf_index = 1`,
      );
      await log.expectNoReceipt();
      const entries = honest.entries.map((entry) => {
        if (entry.index !== 1) return entry;
        const data = { ...entry.event.data, reference: 'WB-0000-0000' };
        return { ...entry, event: { ...entry.event, data } };
      });
      return { receipt: { ...honest, entries } };
    },
    ...both(
      new RegExp(
        `^edited: epoch 1, leaf 1, entry ${uuid} \\(submission.accepted\\): its event commits to ${hex}, but ${hex} was published$`,
      ),
    ),
    witness: undefined,
    receipt: ['bad_proof'],
  },
  {
    name: 'an event is deleted',
    async tamper() {
      await query('delete from evidence_entries where leaf_index = 3');
      return undefined;
    },
    ...both(/^deleted: epoch 1, leaf 3: the entry of leaf 3 is missing in the database$/),
    witness: undefined,
    receipt: ['omitted'],
  },
  {
    name: 'two events are swapped',
    async tamper(log) {
      const honest = await log.readReceipt();
      await query('update evidence_entries set leaf_index = 1000 where leaf_index = 3');
      await query('update evidence_entries set leaf_index = 3 where leaf_index = 4');
      await query('update evidence_entries set leaf_index = 4 where leaf_index = 1000');
      await log.expectNoReceipt();
      const swapped = new Map(
        [3, 4].map((index) => [7 - index, honest.entries.find((entry) => entry.index === index)]),
      );
      const entries = honest.entries.map((entry) => ({ ...entry, ...swapped.get(entry.index), index: entry.index }));
      return { receipt: { ...honest, entries } };
    },
    ...both(
      new RegExp(`^swapped: epoch 1, leaf 3, entry ${uuid} \\(link.opened\\): its event was published at leaf 4$`),
      new RegExp(`^swapped: epoch 1, leaf 4, entry ${uuid} \\(link.opened\\): its event was published at leaf 3$`),
    ),
    witness: undefined,
    receipt: ['bad_order', 'bad_proof', 'omitted'],
  },
  {
    name: 'an event is invented',
    async tamper(log) {
      const honest = await log.readReceipt();
      const last = honest.entries.at(-1) as Receipt['entries'][number];
      await query(
        `insert into evidence_entries (account_id, kind, drop_id, position, number, epoch, leaf_index, data, commitment)
         values ($1, 'link.opened', $2, 0, $3, 1, 6, '{}', $4)`,
        [log.story.accountId, log.story.dropId, last.event.number + 1, Buffer.alloc(32, 1)],
      );
      // The server leaves it out of a receipt, so a forger has to write it there.
      const event = { ...last.event, id: randomUUID(), number: last.event.number + 1 };
      return { receipt: { ...honest, entries: [...honest.entries, { ...last, event, index: last.index + 1 }] } };
    },
    ...both(new RegExp(`^invented: epoch 1, leaf 6, entry ${uuid} \\(link.opened\\): the log has 6 leaves only$`)),
    witness: undefined,
    receipt: ['bad_proof'],
  },
  {
    name: 'the log is truncated',
    async tamper(log) {
      const earlier = log.kept;
      await log.append(2);
      await log.publish();
      await query('delete from evidence_entries where leaf_index >= 6');
      await query(
        `update evidence_logs set published_size = 6, size = 6, checkpoint = $1, signed_checkpoint = $1, cosigned_checkpoint = $1`,
        [earlier],
      );
      await log.putCheckpoint(earlier);
      return { witness: await log.show(earlier, readTilesOf(log.logObjects, 1)) };
    },
    check: [],
    checkKept: [/^truncated: epoch 1: the bucket has 6 leaves, but KEPT covers 8$/],
    witness: /^it has seen 8 entries, more than the 6 of this log$/,
    // It shows what was true at the time.
    receipt: [],
  },
  {
    name: 'the log is changed and signed again with its key',
    async tamper(log) {
      const row = (await log.readRows()).find(({ leafIndex }) => leafIndex === 3);
      if (!row?.salt) throw new Error('there is no row');
      const changed = { ...row, salt: row.salt, data: { by: 'somebody else' } };
      await query('update evidence_entries set data = $1, commitment = $2 where leaf_index = 3', [
        JSON.stringify(changed.data),
        commitEvent(changed),
      ]);
      await log.deleteObjects();
      await discardPublished(0);
      await log.sequence();
      return undefined;
    },
    check: [],
    checkKept: [forked(6)],
    witness: /^it has seen another log of 6 entries$/,
    receipt: ['no_quorum'],
  },
  {
    name: 'the log forks after a backup of the database and the bucket was restored',
    async tamper(log) {
      const earlier = log.kept;
      await log.append(2);
      await log.publish();
      await query('delete from evidence_entries where leaf_index >= 6');
      await discardPublished(6, earlier);
      await log.putCheckpoint(earlier);
      await log.append(3);
      await log.sequence();
      return undefined;
    },
    check: [],
    checkKept: [forked(8)],
    witness: /^it has seen another log of 8 entries$/,
    receipt: ['no_quorum'],
  },
  {
    name: 'two parties are shown two logs',
    async tamper(log) {
      const { engines } = log;
      const honest = await log.readReceipt();
      const entries = honest.entries.map((entry) =>
        entry.index === 3 ? { ...entry, event: { ...entry.event, at: '2026-01-01T00:00:00.000Z' } } : entry,
      );
      const leaves = (await log.readRows()).map(({ commitment, leafIndex }) => {
        const changed = entries.find(({ index }) => index === leafIndex);
        return hashLeaf(changed ? toCommitment(changed.event, Buffer.from(changed.salt, 'base64')) : commitment);
      });
      const readTile: ReadTile = async ({ width }) => Buffer.concat(leaves.slice(0, width));
      const [{ origin } = { origin: '' }] = await engines.store.evidenceLog.list();
      const keys = await engines.store.evidenceLog.listKeys(1);
      const text = formatCheckpoint({ origin, size: leaves.length, root: computeRoot(leaves) });
      log.kept = await signNote(text, await openSigners(engines, origin, keys, () => 1));
      const receipt = {
        ...honest,
        checkpoints: [log.kept],
        entries: await Promise.all(
          entries.map(async (entry) => ({
            ...entry,
            proof: (await proveInclusion(readTile, entry.index, leaves.length)).map(encodeBase64),
          })),
        ),
      };
      // Without witnesses, the other party cannot know.
      expect(await log.verify(receipt, 'quorum none\n')).not.toContain('no_quorum');
      return { receipt, witness: await log.show(log.kept, readTile) };
    },
    check: [],
    checkKept: [forked(6)],
    witness: /^it has seen another log of 6 entries$/,
    receipt: ['no_quorum'],
  },
  {
    name: 'the clock is set back',
    async tamper(log) {
      await log.append(1);
      await query(
        `update evidence_entries set at = date_trunc('milliseconds', now() - interval '1 hour') where leaf_index is null`,
      );
      await log.publish();
      return undefined;
    },
    ...both(
      new RegExp(
        `^clock set back: epoch 1, leaf 6, entry ${uuid} \\(link.opened\\): its time \\S+ is before that of leaf \\d, \\S+$`,
      ),
    ),
    witness: undefined,
    receipt: ['clock_set_back'],
  },
];

/** The same findings with and without a kept checkpoint. */
function both(...findings: RegExp[]) {
  return { check: findings, checkKept: findings };
}

/** Attempts to sign another log with the real key. */
async function discardPublished(size: number, note: string | null = null): Promise<void> {
  await query(
    `update evidence_logs set published_size = $1, size = greatest($1, (select count(*) from evidence_entries where leaf_index is not null)),
       checkpoint = $2, signed_checkpoint = $2, cosigned_checkpoint = null, cosigned_at = null`,
    [size, note],
  );
}

const matching = (patterns: readonly RegExp[]) => patterns.map((pattern) => expect.stringMatching(pattern) as string);

test('an untouched log has nothing to be detected', async () => {
  const log = await TamperedLog.open();
  expect(await log.check()).toEqual([]);
  expect(await log.checkKept()).toEqual([]);
  expect(await log.cosign()).toBe('');
  expect(await log.verify(await log.readReceipt())).toEqual([]);
});

test.each(tamperings)('$name', async ({ tamper, check, checkKept, witness: refusal, receipt }) => {
  const log = await TamperedLog.open();
  const shown = await tamper(log);
  expect(await log.check()).toEqual(matching(check));
  expect(await log.checkKept()).toEqual(matching(checkKept));
  const refused = shown?.witness ?? (await log.cosign());
  expect(refused).toEqual(refusal ? expect.stringMatching(refusal) : '');
  expect(await log.verify(shown?.receipt ?? (await log.readReceipt()))).toEqual(receipt);
});

test('the documentation has the same table', () => {
  const toProblems = (patterns: readonly RegExp[]) =>
    patterns.map(({ source }) => `\`${/^\^([a-z ]+):/.exec(source)?.[1]}\``);
  const toCell = (texts: readonly string[]) => [...new Set(texts)].join(', ') || 'no';
  const rows = tamperings.map(
    ({ name, check, checkKept, witness: refusal, receipt }) =>
      `| ${[
        name,
        toCell(toProblems(check)),
        toCell(toProblems(checkKept)),
        refusal ? 'refuses' : 'no',
        toCell(receipt.map((code) => `\`${code}\``)),
      ].join(' | ')} |`,
  );
  const docs = readFileSync(new URL('../../../../docs/evidence-log.md', import.meta.url), 'utf8');
  expect(docs).toContain(rows.join('\n'));
});
