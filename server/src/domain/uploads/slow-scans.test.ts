// What uploads see of a clamd that takes its time, and of one that loses patience with the uploader.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clamdScanner } from '../../engines/clamd/scanner.ts';
import { eicar } from '../../testing/eicar.ts';
import { incomingFile, openTestExchange, type TestExchange } from '../../testing/exchange.ts';
import { grantedLink, receivedFile } from '../../testing/grants.ts';
import { type OwnClamd, startClamd } from '../../testing/own-clamd.ts';
import { slowToScan, startSlowClamd } from '../../testing/slow-clamd.ts';
import type { Policy } from '../ports/index.ts';
import { checkUpload } from './check-upload.ts';
import { accountOwner } from './owner.ts';
import { stageUpload } from './stage-upload.ts';

let exchange: TestExchange;
let clamd: OwnClamd;
beforeAll(async () => {
  [exchange, clamd] = await Promise.all([openTestExchange(), startClamd('ReadTimeout 4')]);
});
afterAll(async () => {
  await clamd[Symbol.asyncDispose]();
  await exchange[Symbol.asyncDispose]();
});

const silenceMs = 1_000;
const enginesWith = (scan: Policy['scan'], { address } = clamd as { address: string }) => ({
  ...exchange.engines,
  scanner: clamdScanner({ address, silenceMs }),
  policy: { ...exchange.engines.policy, scan },
});
const inHalves = (pauseMs: number) => ({
  ...incomingFile('a.txt'),
  bytes: (async function* () {
    yield Buffer.from(eicar.slice(0, 30));
    await setTimeout(pauseMs);
    yield Buffer.from(eicar.slice(30));
  })(),
});

test('an upload over which clamd takes its time is taken, and others are not held up meanwhile', async () => {
  await using slow = await startSlowClamd(4 * silenceMs);
  const [engines, actor] = [enginesWith('required', slow), await exchange.account()];
  const done: string[] = [];
  const upload = async (name: string, content?: string) => {
    const staged = await stageUpload(engines, accountOwner(actor, ''), incomingFile(name, content));
    done.push(`${name} ${staged.scan}`);
    staged.release();
  };
  await Promise.all([upload('slow', slowToScan), ...['a', 'b', 'c'].map((name) => upload(name))]);
  expect(done.toSorted()).toEqual(['a clean', 'b clean', 'c clean', 'slow clean']);
  expect(done.at(-1)).toBe('slow clean');
});

test("a contact's upload over which clamd takes its time is taken", async () => {
  const { link } = await grantedLink(exchange);
  const id = await receivedFile(exchange.engines, link, 'a.txt', slowToScan);
  await using slow = await startSlowClamd(4 * silenceMs);
  await checkUpload(enginesWith('required', slow), link.accountId, id, new AbortController().signal);
  const [file] = await exchange.database.query('select state, scan from files where id = $1', [id]);
  expect(file).toEqual({ state: 'ready', scan: 'clean' });
});

test.each(['required', 'best-effort'] as const)('under "%s" a pause hides nothing from the scan', async (scan) => {
  const upload = stageUpload(enginesWith(scan), accountOwner(await exchange.account(), ''), inHalves(1.5 * silenceMs));
  await expect(upload).rejects.toMatchObject({ code: 'infected' });
});

test.each(['required', 'best-effort'] as const)(
  'under "%s" nor does one that clamd does not wait for',
  async (scan) => {
    const upload = stageUpload(enginesWith(scan), accountOwner(await exchange.account(), ''), inHalves(6_000));
    await expect(upload).rejects.toMatchObject({ code: 'infected' });
  },
);
