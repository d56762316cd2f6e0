// The unattended receiver, killed at any moment: every file is stored once and complete, and its hook is run.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Waybill } from '../../client/src/index.ts';
import { createAccount } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { demo } from '../lib/running-demo.ts';
import { eventually } from '../lib/wait.ts';
import { ended, Person } from './command.ts';

const kills = fullSize ? 100 : 25;
/** One drop for every kill: 500 files in total, at full size. */
const filesOfEach = 5;

/** Moves the file on as a consumer would, and records that it was called. */
const hookScript = `#!/bin/sh
echo "$WAYBILL_ATTEMPT $WAYBILL_SHA256 $WAYBILL_NAME" >> "$HOME/hook.log"
[ ! -e "$WAYBILL_FILE" ] || mv "$WAYBILL_FILE" "$HOME/moved/$WAYBILL_DROP-$WAYBILL_ATTEMPT-$WAYBILL_NAME"
`;

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test(`${kills} kills while ${kills * filesOfEach} files arrive: each lands exactly once`, {
  timeout: 600_000,
}, async () => {
  const [sender, receiver] = [await createAccount('storm-sender'), await createAccount('storm-receiver')];
  using person = new Person(receiver);
  mkdirSync(join(person.home, 'moved'));
  writeFileSync(join(person.home, 'hook'), hookScript, { mode: 0o755 });
  const words = ['pull', '--watch', '--every', '1', '--hook', join(person.home, 'hook'), 'in'];

  const hooked = () =>
    new Set(
      readFileSync(join(person.home, 'hook.log'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[2]),
    );
  const sent = new Map<string, string>();
  const client = new Waybill({ baseUrl: demo().base_url, ...sender });
  const sendNext = async (drop: number) => {
    const files = Array.from({ length: filesOfEach }, (_, file) => {
      const content = randomBytes(1 + Math.floor(Math.random() * 200_000));
      const name = `file-${drop}-${file}.bin`;
      sent.set(name, sha256(content));
      return { name, content };
    });
    await client.send({ files, to: [receiver.user] });
  };

  await sendNext(0);
  for (let kill = 0; kill < kills; kill += 1) {
    const arriving = kill + 1 < kills ? sendNext(kill + 1) : undefined;
    // Two at a time, so that one takes over when the other one is killed.
    const pullers = [person.start(...words), person.start(...words)];
    const ends = Promise.all(pullers.map(ended));
    let landedNow = 0;
    for (const { stdout } of pullers) stdout?.on('data', (text: string) => (landedNow += text.split('\n').length - 1));
    // One in four at any moment of its start; the others some time after they have begun to work.
    const someWay = kill % 4;
    if (someWay === 0) await pause(Math.random() * 1_000);
    else await eventually('a puller is at work', async () => (landedNow >= someWay ? true : undefined), { everyMs: 5 });
    await pause(Math.random() * 100);
    for (const puller of pullers) puller.kill('SIGKILL');
    await ends;
    await arriving;
  }

  const last = person.start(...words);
  const lastEnd = ended(last);
  await eventually('every file is here', async () => (hooked().size === sent.size ? true : undefined), {
    withinMs: 120_000,
  });
  last.kill('SIGTERM');
  expect((await lastEnd).exitCode).toBe(130);
  client.close();

  // The hook moves a file on; if its puller was killed in between, the file may still be where it was stored, but not
  // in both places.
  const found = [...filesIn(join(person.home, 'moved')), ...filesIn(join(person.home, 'in'))];
  const landed = found.map(({ name, content }) => [name.replace(/^.*(?=file-\d)/, ''), sha256(content)]);
  expect(landed.length).toBe(sent.size);
  expect(new Map(landed as [string, string][])).toEqual(sent);

  const attempts = readFileSync(join(person.home, 'hook.log'), 'utf8').trim().split('\n');
  const byFile = Map.groupBy(attempts, (line) => line.split(' ')[2]);
  for (const [, lines] of byFile) {
    const numbers = lines.map((line) => Number(line.split(' ')[0]));
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect(new Set(numbers).size).toBe(numbers.length);
  }
});

function filesIn(folder: string): { name: string; content: Buffer }[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({ name, content: readFileSync(join(folder, name)) }));
}
