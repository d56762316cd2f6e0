// How uploads behave with a clamd that is slow, and with one that stops waiting for the uploader. All at the same time,
// because they mostly wait.
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eicar } from '../../../../tools/shared/eicar.ts';
import { slowToScan, startSlowClamd } from '../../../../tools/shared/slow-clamd.ts';
import { incomingFile, useTestExchange } from '../../../test/exchange.ts';
import { openRequestLink, receivedFile } from '../../../test/file-requests.ts';
import { type OwnClamd, startClamd } from '../../../test/servers/own-clamd.ts';
import { clamdScanner } from '../../engines/clamd/scanner.ts';
import type { Policy } from '../policy.ts';
import { checkUpload } from './check-upload.ts';
import { accountOwner } from './owner.ts';
import { stageUpload } from './stage-upload.ts';

const exchange = await useTestExchange();
let clamd: OwnClamd;
beforeAll(async () => {
  clamd = await startClamd('ReadTimeout 4');
});
afterAll(() => clamd[Symbol.asyncDispose]());

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

test.concurrent('an upload over which clamd takes its time is taken, and others are not held up meanwhile', async () => {
  await using slow = await startSlowClamd(clamd.address, 4 * silenceMs);
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

test.concurrent("a contact's upload over which clamd takes its time is taken", async () => {
  const { link } = await openRequestLink(exchange);
  const id = await receivedFile(exchange.engines, link, 'a.txt', slowToScan);
  await using slow = await startSlowClamd(clamd.address, 4 * silenceMs);
  await checkUpload(enginesWith('required', slow), link.accountId, id, new AbortController().signal);
  const [file] = await exchange.database.query('select state, scan from files where id = $1', [id]);
  expect(file).toEqual({ state: 'ready', scan: 'clean' });
});

test.concurrent.each(['required', 'best-effort'] as const)(
  'under "%s" a pause hides nothing from the scan',
  async (scan) => {
    const upload = stageUpload(
      enginesWith(scan),
      accountOwner(await exchange.account(), ''),
      inHalves(1.5 * silenceMs),
    );
    await expect(upload).rejects.toMatchObject({ code: 'infected' });
  },
);

test.concurrent.each(['required', 'best-effort'] as const)(
  'under "%s" nor does one that clamd does not wait for',
  async (scan) => {
    const upload = stageUpload(enginesWith(scan), accountOwner(await exchange.account(), ''), inHalves(6_000));
    await expect(upload).rejects.toMatchObject({ code: 'infected' });
  },
);
