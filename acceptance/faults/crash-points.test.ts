// `serve` dies, as in a power failure, at each of the points between two steps of an upload, of a dispatch and of a stored response. The
// client's connection breaks, it repeats the request elsewhere, and a separate checker examines the result.
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { check } from '../checker/checker.ts';
import { ask, Journal } from '../checker/journal.ts';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { succeeded } from '../lib/http/client.ts';
import type { FileToUpload } from '../lib/http/multipart.ts';
import { V1Client } from '../lib/http/v1-client.ts';
import { requestFiles, waitForInbox } from '../lib/people/contact.ts';
import { ContactUploader } from '../lib/people/contact-uploader.ts';
import { introduce } from '../lib/scenario.ts';
import { CrashingServes } from '../lib/servers/crashing-serves.ts';
import { query } from '../lib/servers/exchange-internals.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

const checkpoints = [
  'upload:intent-stored',
  'upload:bytes-received',
  'upload:chunks-stored',
  'upload:verdict-known',
  'upload:before-commit',
  'upload:committed',
  'drop:draft-locked',
  'drop:inserted',
  'drop:files-moved',
  'drop:inboxes-filled',
  'drop:messages-enqueued',
  'drop:evidence-written',
  'drop:before-commit',
  'drop:committed',
];
/** Reached by a contact's upload, which is resumed instead of being sent again. */
const resumedCheckpoints = ['upload:chunk-claimed', 'upload:chunk-stored', 'upload:chunk-committed'];
/** Reached by a drop of /api/v1, whose response is kept in the same transaction. */
const reachedCheckpoints = [
  ...checkpoints.filter((name) => name.startsWith('drop:') && name !== 'drop:committed'),
  'response:committed',
];
/** `npm run lab -- crash-storm` sets how many. */
const rounds = Number(process.env['WAYBILL_CRASH_ROUNDS'] ?? (fullSize ? 20 : 1));
/** Accounts that crash and recover in parallel. */
const laneCount = 3;
const overOneChunk = 8 * 1024 * 1024 + 54_321;

interface Lane {
  journal: Journal;
  /** External receivers, already contacts, each for one round. */
  addresses: string[];
}

let lanes: Lane[] = [];
const serves = new CrashingServes([
  ...resumedCheckpoints,
  ...reachedCheckpoints,
  ...checkpoints.flatMap((checkpoint) => Array(rounds).fill(checkpoint) as string[]),
]);

beforeAll(async () => {
  lanes = await Promise.all(Array.from({ length: laneCount }, openLane));
});
afterAll(() => serves.stop());

test('tests all checkpoints of the program', () => {
  const source = new URL('../../server/src', import.meta.url).pathname;
  const texts = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(source, path), 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(/checkpoint\('((?:upload|drop|response):[^']+)'\)/g)]);
  const names = new Set(found.map(([, name = '']) => name));
  const tried = new Set([...checkpoints, ...resumedCheckpoints, ...reachedCheckpoints]);
  expect([...names].toSorted()).toEqual([...tried].toSorted());
});

for (const checkpoint of resumedCheckpoints) {
  test(`killed at ${checkpoint}: a contact's upload is resumed elsewhere, byte for byte`, async () => {
    const client = await freshClient('asking');
    const { base_url: elsewhere } = demo();
    const { contact, link } = await requestFiles(client);
    const uploader = await ContactUploader.open(elsewhere, link.split('/').at(-1) ?? '');
    const content = randomBytes(2 * overOneChunk);
    const upload = await uploader.announce(elsewhere, 'resumed.bin', content.length);
    const serve = await serves.take(checkpoint);
    await expect(uploader.continue(serve.baseUrl, upload, content)).rejects.toThrow();
    expect(await serve.ended, 'how the process ended').toBe('SIGKILL');

    const offset = await uploader.offset(elsewhere, upload);
    // A committed request is not sent again.
    if (checkpoint === 'upload:chunk-committed') expect(offset).toBeGreaterThan(0);
    expect((await uploader.continue(elsewhere, upload, content, offset)).status).toBe(204);
    await eventually(
      'it is checked and sent',
      async () => (await uploader.send(elsewhere)).status === 200 || undefined,
    );
    const { url } = await waitForInbox(client, contact);
    const { body } = await client.download(url, 'resumed.bin');
    expect(sha256(body)).toBe(sha256(content));
  });
}

for (const checkpoint of reachedCheckpoints) {
  test(`killed at ${checkpoint}: the repetition elsewhere gets the only response to the only drop`, async () => {
    const { account } = await freshClient('repeating');
    const elsewhere = new V1Client(account);
    const uploads = [await elsewhere.upload('once.txt', 'once')];
    const request = {
      headers: { 'idempotency-key': 'once' },
      json: { uploads, receivers: [{ email: uniqueAddress() }], notify: false },
    };
    const serve = await serves.take(checkpoint);
    await expect(elsewhere.through(serve.baseUrl).ask('POST', '/drops', request)).rejects.toThrow();
    expect(await serve.ended, 'how the process ended').toBe('SIGKILL');

    const drops = async () => (await elsewhere.read<{ data: { id: string }[] }>('GET', '/drops')).data;
    expect(await drops(), 'right after').toHaveLength(checkpoint === 'response:committed' ? 1 : 0);
    const repeat = () => elsewhere.read<{ id: string; receivers: { link: string }[] }>('POST', '/drops', request);
    const response = await repeat();
    expect(await drops()).toEqual([expect.objectContaining({ id: response.id })]);
    expect(await repeat()).toEqual(response);
    const entries = await query(
      'select kind, count(*)::int from evidence_entries where drop_id = $1 group by 1 order by 1',
      [response.id],
    );
    expect(entries).toEqual(
      ['content.consigned', 'link.shown', 'submission.accepted'].map((kind) => ({ kind, count: 1 })),
    );
    // Only the first response ever has the link.
    expect((await fetch(response.receivers[0]?.link ?? '')).status).toBe(200);
  });
}

describe(`${rounds} times each`, () => {
  for (const checkpoint of checkpoints) {
    test(`killed at ${checkpoint}, repeated elsewhere`, { timeout: 180_000 + rounds * 10_000 }, async () => {
      // Each checkpoint begins with another kind of request: see `makeFiles`.
      const begin = checkpoints.indexOf(checkpoint);
      const waiting = Array.from({ length: rounds }, (_, round) => begin + round).values();
      const results = await Promise.allSettled(
        lanes.map(async (lane) => {
          for (const round of waiting) await crashAndRecover(lane, checkpoint, round);
        }),
      );
      for (const result of results) if (result.status === 'rejected') throw result.reason;
    });
  }
});

test('the checker finds no violation afterwards', { timeout: 300_000 + rounds * 10_000 }, async () => {
  expect(await check(lanes.map((lane) => lane.journal))).toEqual([]);
  const intentions = lanes.flatMap(({ journal }) => [...journal.uploads, ...journal.dispatches]);
  const putOff = intentions.flatMap((intention) => intention.refusals);
  process.stdout.write(`crash points: ${intentions.length / 2} rounds, ${putOff.length} requests put off by a 503\n`);
  expect(intentions.length / 2, 'rounds the checker saw').toBe(checkpoints.length * rounds);
});

async function crashAndRecover({ journal, addresses }: Lane, checkpoint: string, round: number): Promise<void> {
  const serve = await serves.take(checkpoint);
  const label = `${checkpoint.replace(':', '-')}-${round}-${randomBytes(4).toString('hex')}`;
  const files = makeFiles(label, round);
  const receivers = [journal.receiver.user, addresses.pop() ?? uniqueAddress()];
  const elsewhere = journal.sender.inDraft(label);
  const doomed = elsewhere.through(serve.baseUrl);
  const upload = journal.recordUpload(label, files);
  const dispatch = journal.recordDispatch(label, files, receivers, `message ${label}`);
  const parameters = { desttime: 7, ddmessage: dispatch.message };

  succeeded(await doomed.setReceivers(receivers.map((email) => ({ email }))));
  succeeded(await doomed.files());
  const uploaded = await ask(upload, 'done', () => doomed.upload(...files));
  if (checkpoint.startsWith('drop:')) {
    expect(uploaded, upload.refusals.join()).toBe('ok');
    expect(await ask(dispatch, 'ok', () => doomed.createDrop(parameters))).toBe('unknown');
  } else {
    expect(uploaded).toBe('unknown');
  }
  expect(await serve.ended, 'how the process ended').toBe('SIGKILL');

  const staged = (await elsewhere.readFiles()).map((file) => file.name);
  expect(staged, 'staged right after').toEqual(isStagedAfter(checkpoint) ? files.map((file) => file.name) : []);
  if (uploaded === 'unknown') await ask(upload, 'done', () => elsewhere.upload(...files));
  expect(upload.outcomes.at(-1), upload.refusals.join()).toBe('ok');
  await ask(dispatch, 'ok', () => elsewhere.createDrop(parameters));
  expect(dispatch.outcomes.at(-1), dispatch.refusals.join()).toBe('ok');
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** All or nothing: an upload exists from its commit on, and stays in its draft until the commit of the dispatch. */
function isStagedAfter(checkpoint: string): boolean {
  return checkpoint === 'upload:committed' || (checkpoint.startsWith('drop:') && checkpoint !== 'drop:committed');
}

/** Mostly one small file; occasionally one of two chunks, and two in one request. */
function makeFiles(label: string, round: number): FileToUpload[] {
  if (round % 10 === 2) return [{ name: `${label}.large`, content: randomBytes(overOneChunk) }];
  const small = (suffix: string) => ({
    name: `${label}.${suffix}`,
    content: randomBytes(1 + ((round * 7919) % 100_000)),
  });
  return round % 5 === 1 ? [small('first'), small('second')] : [small('only')];
}

async function openLane(): Promise<Lane> {
  const journal = new Journal(await freshClient('crashing'), await freshClient('receiving'));
  // Any lane may run any round.
  const addresses = Array.from({ length: checkpoints.length * rounds }, () => uniqueAddress('outside'));
  await introduce(journal.sender, [journal.receiver.user, ...addresses]);
  return { journal, addresses };
}
