// One account, many simultaneous requests through two processes: nothing is duplicated, nothing is mixed.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import { succeeded } from '../lib/http/client.ts';
import { assertStatus } from '../lib/http/expect.ts';
import type { HistoryEntry } from '../lib/http/shapes.ts';
import { mailsTo, waitForMail } from '../lib/people/mailbox.ts';
import { dispatch, introduce, stage } from '../lib/scenario.ts';

const tenTimes = <T>(work: (i: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 10 }, (_, i) => work(i)));

for (const [how, headers] of [
  ['without a key', {}],
  ['with one Idempotency-Key', { 'Idempotency-Key': 'ten-at-once' }],
] as const) {
  test(`the same createdrop.cgi ten times at once, ${how}, is one drop and one mail per receiver`, async () => {
    const client = await freshClient('ten');
    const to = [uniqueAddress('a'), uniqueAddress('b')];
    await introduce(client, to);
    await stage(client, { to, files: [{ name: 'once.txt', content: 'once' }] });
    const responses = await tenTimes(() => client.createDrop({ ddmessage: 'ten at once' }, headers));
    for (const response of responses) assertStatus(response, 'ok');

    const { history, live_drops } = await client.readHistory();
    expect(live_drops).toBe('1');
    expect(history.map(({ files }) => files.map(({ name }) => name))).toEqual([['once.txt']]);
    expect(history[0]?.receivers.map(({ email }) => email).sort()).toEqual(to.toSorted());

    for (const address of to) await waitForMail(address);
    // Once the mail of a later dispatch has arrived, a duplicate of the earlier one would have been sent before it.
    const sentinel = uniqueAddress('sentinel');
    await dispatch(client, { to: [sentinel], files: [{ name: 'later.txt', content: 'later' }] });
    await waitForMail(sentinel);
    for (const address of to) expect(await mailsTo(address)).toHaveLength(1);
  });
}

test('ten workers with a draft each send a hundred drops, and every drop has its own files and receivers', async () => {
  const client = await freshClient('workers');
  const address = (worker: number, turn: number) => `w${worker}-t${turn}-${suffix}@example.org`;
  const suffix = randomBytes(6).toString('hex');
  const turns = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
  await introduce(
    client,
    turns.flatMap((worker) => turns.map((turn) => address(worker, turn))),
  );

  await tenTimes(async (worker) => {
    const draft = client.inDraft(`worker-${worker}`);
    for (const turn of turns) {
      const name = `${worker}-${turn}`;
      await stage(draft, {
        to: [address(worker, turn)],
        files: [
          { name: `${name}.txt`, content: name },
          { name: 'common-name.txt', content: name },
        ],
      });
      assertStatus(await draft.createDrop({ ddmessage: name }), 'ok');
    }
  });

  const { history, live_drops } = await client.readHistory();
  const byMessage = new Map<string, HistoryEntry>(history.map((entry) => [entry.ddmessage, entry]));
  expect(history).toHaveLength(100);
  expect(live_drops).toBe('100');
  for (const worker of turns) {
    for (const turn of turns) {
      const entry = byMessage.get(`${worker}-${turn}`);
      expect(entry?.receivers.map(({ email }) => email)).toEqual([address(worker, turn)]);
      expect(entry?.files.map(({ name }) => name).sort()).toEqual([`${worker}-${turn}.txt`, 'common-name.txt']);
    }
  }
}, 180_000);

test('ten uploads of one name at once leave one file, with the bytes of one of them', async () => {
  const [client, receiver] = await Promise.all([freshClient('race'), freshClient('receiver')]);
  const contents = Array.from({ length: 10 }, (_, i) => Buffer.alloc(200_000, i + 1));
  await introduce(client, [receiver.user]);
  const responses = await tenTimes((i) => client.upload({ name: 'race.bin', content: contents[i] ?? '' }));
  for (const response of responses) assertStatus(response, 'done');
  expect((await client.readFiles()).map(({ name }) => name)).toEqual(['race.bin']);

  succeeded(await client.setReceivers([{ email: receiver.user }]));
  assertStatus(await client.createDrop({}), 'ok');
  const [entry] = (await receiver.readHistory()).inbox;
  const { body } = await receiver.download(entry?.url ?? '', 'race.bin');
  expect(contents.filter((content) => content.equals(body))).toHaveLength(1);
});

test('uploads and removals of one name at once leave a whole file or none', async () => {
  const client = await freshClient('race');
  for (let round = 0; round < 5; round++) {
    const content = Buffer.alloc(1_500_000, round + 1);
    const [uploaded, removed] = await Promise.all([
      client.upload({ name: 'race.bin', content }),
      client.removeFile('race.bin'),
    ]);
    assertStatus(uploaded, 'done');
    expect([200, 404]).toContain(removed.status);
    const files = await client.readFiles();
    expect(files.map(({ name, size }) => [name, size])).toEqual(files.length === 0 ? [] : [['race.bin', '1.5 MB']]);
    if (removed.status === 404) expect(files).toHaveLength(1);
  }
});
