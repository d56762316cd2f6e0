// The evidence log, stamped by a real authority: `openssl ts` behind HTTP, which is also down, slow, wrong and forged.
import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { formatTimeStampRequest, parseAuthorities, parsePolicy, verifyReceipt } from '@waybill/evidence';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createAuthority } from '../../../../evidence/src/testing/openssl-authority.ts';
import { carryOutRemedy, readRemedy } from '../../../test/findings.ts';
import { requestV1 } from '../../../test/request-v1.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import { timeStampAuthority } from '../../engines/outgoing/time-stamp-authority.ts';
import type { Finding } from '../doctor/finding.ts';
import { examineLog } from './examine-log.ts';
import { makeLogPolicy } from './public-log.ts';
import { Sequencer } from './sequencer.ts';
import { stampLog } from './stamp-log.ts';

const run = promisify(execFile);
const { exchange, app } = await useTestServer();
const { engines, database } = exchange;
const { evidenceLog } = engines.store;
const sequencer = new Sequencer(engines);
const live = new AbortController().signal;

const authority = createAuthority();
const other = createAuthority({ name: 'Other' });
const authorities = parseAuthorities(authority.certificate);

type Respond = (request: Buffer, response: ServerResponse) => void;
const respondRight: Respond = (request, response) => response.end(authority.respond(request));
let respond = respondRight;
const requests: NodeJS.Dict<string | string[]>[] = [];
async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  requests.push(incoming.headers);
  respond(await buffer(incoming), response);
}
const server = createServer((incoming, response) => void serve(incoming, response));
await once(server.listen(0, '127.0.0.1'), 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tsa`;
afterAll(() => {
  server.closeAllConnections();
  server.close();
  authority.remove();
  other.remove();
});
beforeEach(async () => {
  respond = respondRight;
  await makeDue();
});

const everySeconds = 600;
const options = { url, authorization: 'Basic abc', authorities, everySeconds, random: { bytes: randomBytes } };
const stamp = (changed: Partial<typeof options> & { timeoutMs?: number } = {}) =>
  stampLog(engines, timeStampAuthority({ ...options, ...changed }), live);
const makeDue = () => database.query('update evidence_logs set stamp_due_at = now(), stamp_failures = 0');

/** Writes an event and logs it, as `work` does once a second. */
async function publish(): Promise<{ size: number; text: string }> {
  const story = { accountId: randomUUID(), dropId: randomUUID(), position: 0 };
  await engines.store.evidence.append([{ ...story, kind: 'link.opened', data: {} }]);
  return sequence();
}
async function sequence() {
  while (await sequencer.step(live));
  const log = (await evidenceLog.list()).at(-1);
  return { size: log?.publishedSize ?? 0, text: log?.checkpoint?.split('\n\n')[0] ?? '' };
}
async function examine(changed: { authorities?: undefined } = {}): Promise<Finding | undefined> {
  const findings: Finding[] = [];
  const named = timeStampAuthority({ ...options, ...changed });
  for await (const finding of examineLog({ ...engines, timeStampAuthority: named })) findings.push(finding);
  return findings.find(({ check }) => check === 'log.stamped');
}

test('the newest checkpoint is stamped once, by one worker, and then not before it is time', async () => {
  const { size, text } = await publish();
  const before = requests.length;
  const results = await Promise.all([stamp(), stamp()]);
  expect(results.filter(Boolean)).toHaveLength(1);
  expect(requests).toHaveLength(before + 1);
  expect(requests.at(-1)).toMatchObject({
    'content-type': 'application/timestamp-query',
    authorization: 'Basic abc',
  });
  const stored = await evidenceLog.findTimeStamp({ epoch: 1, leafIndex: size - 1 }, size);
  expect(stored).toMatchObject({ size });
  expect(authority.accepts(`${text}\n`, stored?.token ?? Buffer.of())).toBe(true);
  expect(await examine()).toMatchObject({ status: 'ok' });
  let changed: { authorities?: undefined } = { authorities: undefined };
  expect((await examine(changed))?.says).toContain('nobody verifies');
  const examineStamps = async () => [(await examine(changed)) as Finding];
  await carryOutRemedy('log.stamped', examineStamps, (remedy) => {
    readRemedy(remedy, /(Name the certificates of the authority in WAYBILL_TIMESTAMP_CA_FILE)/);
    changed = {};
  });
  // Nothing is new; then it is too early.
  await makeDue();
  expect(await stamp()).toBe(false);
  await publish();
  expect(await stamp()).toBe(true);
  await publish();
  expect(await stamp()).toBe(false);
  expect(requests).toHaveLength(before + 2);
});

const respondLate: Respond = () => undefined;
test.each<[string, string, Respond]>([
  ['responds with 500', 'The response was 500', (_, response) => response.writeHead(500).end('busy')],
  ['leads elsewhere', 'redirect', (_, response) => response.writeHead(302, { location: url }).end()],
  ['responds with something else', 'not one of RFC 3161', (_, response) => response.end('<html>')],
  ['ends the connection', 'other side closed', (_, response) => response.destroy()],
  ['never responds', 'no response within 0.2 seconds', respondLate],
  ['never ends', 'too large', (_, response) => response.end(Buffer.alloc(200_000, 0x30))],
  ['refuses', 'The authority refused the request (status 2)', (_, response) => respondRight(Buffer.of(0), response)],
  [
    'responds to another request',
    'a response to another request',
    (request, response) => {
      const changed = Buffer.from(request);
      changed[changed.length - 4] = (changed.at(-4) ?? 0) ^ 1;
      respondRight(changed, response);
    },
  ],
  [
    'stamps something else',
    'for something else',
    (_, response) => respondRight(Buffer.from(formatTimeStampRequest('other', randomBytes(16))), response),
  ],
  [
    'is not the one that was named',
    'Clock of Other, Other, which no given certificate leads to',
    (request, response) => response.end(other.respond(request)),
  ],
])('the log goes on, and the doctor says why, if the authority %s', async (_name, reason, wrong) => {
  respond = wrong;
  const { size } = await publish();
  expect(await stamp({ timeoutMs: wrong === respondLate ? 200 : 15_000 })).toBe(false);
  expect(await evidenceLog.findTimeStamp({ epoch: 1, leafIndex: size - 1 }, size)).toBeUndefined();
  expect(await examine()).toMatchObject({ status: 'warning', says: expect.stringContaining(reason) });
  expect((await publish()).size).toBeGreaterThan(size);
  // It waits before it tries again, and then all is well.
  respond = respondRight;
  expect(await stamp()).toBe(false);
  await makeDue();
  expect(await stamp()).toBe(true);
  expect(await examine()).toMatchObject({ status: 'ok' });
});

test('an authority that is down is asked less and less often', async () => {
  await publish();
  const waits: number[] = [];
  for (let failure = 0; failure < 8; failure++) {
    await database.query('update evidence_logs set stamp_due_at = now()');
    expect(await stamp({ url: 'http://127.0.0.1:4/' })).toBe(false);
    const rows = await database.query(
      'select extract(epoch from stamp_due_at - now())::float8 as wait from evidence_logs',
    );
    waits.push(Math.round(Number(rows[0]?.['wait']) / 60));
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect(await examine()).toMatchObject({ says: expect.stringContaining('ECONNREFUSED') });
});

test('a receipt has the first time stamp of each event, and OpenSSL verifies what the PDF contains', async () => {
  const sender = await exchange.account('anna@example.com');
  const dropId = await exchange.drop(sender, ['anna@example.com'], ['a.txt']);
  const ask = (format: string) =>
    requestV1(app, 'GET', `/drops/${dropId}/receivers/0/receipt.${format}`, { key: sender.apiKey });
  const policy = parsePolicy(await makeLogPolicy(engines));
  const readStamps = async (bytes: Uint8Array) => {
    const { problems, facts } = await verifyReceipt(bytes, policy, { authorities });
    expect(problems).toEqual([]);
    return facts?.timeStamps.map(({ eventCount, authority: name }) => [eventCount, name]);
  };
  await sequence();
  expect(await readStamps((await ask('json')).bytes)).toEqual([]);
  expect(await stamp()).toBe(true);
  await engines.store.evidence.append([
    { accountId: sender.accountId, dropId, position: 0, kind: 'link.opened', data: {} },
  ]);
  await sequence();
  expect(await readStamps((await ask('json')).bytes)).toEqual([[2, authority.signerName]]);
  // A later one changes nothing about the first.
  for (let repeat = 0; repeat < 2; repeat++) {
    await makeDue();
    expect(await stamp()).toBe(true);
    await publish();
  }
  const both = [2, 3].map((count) => [count, authority.signerName]);
  expect(await readStamps((await ask('json')).bytes)).toEqual(both);
  const { bytes } = await ask('pdf');
  expect(await readStamps(bytes)).toEqual(both);

  const folder = mkdtempSync(join(tmpdir(), 'waybill-receipt-'));
  try {
    writeFileSync(join(folder, 'receipt.pdf'), bytes);
    await run('pdfdetach', ['-saveall', 'receipt.pdf'], { cwd: folder });
    const { stdout: printed } = await run('pdftotext', ['receipt.pdf', '-'], { cwd: folder });
    expect(printed.replaceAll(/\s+/g, ' ')).toContain('A time-stamping authority stamped the log on ');
    const stamps = readdirSync(folder).filter((name) => name.endsWith('.tst'));
    expect(stamps).toEqual(['time-stamp-1.tst', 'time-stamp-2.tst']);
    for (const name of stamps) {
      const text = readFileSync(join(folder, name.replace('.tst', '.txt')), 'utf8');
      expect(authority.accepts(text, readFileSync(join(folder, name)))).toBe(true);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
