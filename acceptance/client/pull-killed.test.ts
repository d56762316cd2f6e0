// Unattended receivers that share an inbox, killed at any moment: every entry is acknowledged once, and none is lost.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type InboxEntry, Waybill } from '../../client/src/index.ts';
import { type Account, createAccount } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';
import { ended, Person } from './command.ts';

const [pullerCount, entryCount, kills] = fullSize ? [10, 1_000, 200] : [4, 24, 12];

/** Records its arguments, and the files that exist. */
const hookScript = `#!/bin/sh
echo "$WAYBILL_DROP $WAYBILL_ATTEMPT $WAYBILL_NAME $(sha256sum < "$WAYBILL_FILE" | cut -d ' ' -f 1)" >> "$HOME/hook.log"
`;

/** A puller with a folder of its own, which is started again whenever it is killed. */
class Puller implements Disposable {
  readonly #person: Person;
  #process: ReturnType<Person['start']>;
  #end: ReturnType<typeof ended>;

  constructor(account: Account) {
    this.#person = new Person(account);
    writeFileSync(join(this.#person.home, 'hook'), hookScript, { mode: 0o755 });
    [this.#process, this.#end] = this.#start();
  }

  #start(): [ReturnType<Person['start']>, ReturnType<typeof ended>] {
    const hook = join(this.#person.home, 'hook');
    const started = this.#person.start('pull', '--watch', '--every', '1', '--hook', hook, 'in');
    return [started, ended(started)];
  }

  async killAndStart(): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#end;
    [this.#process, this.#end] = this.#start();
  }

  /** Returns whether it ended as expected. A process that has only just been started is ended by the signal itself. */
  async stop(): Promise<boolean> {
    this.#process.kill('SIGTERM');
    const { exitCode, signal } = await this.#end;
    return exitCode === 130 || signal === 'SIGTERM';
  }

  /** Returns the arguments of its hook. */
  hooked(): { entry: string; attempt: number; name: string; sha256: string }[] {
    const log = join(this.#person.home, 'hook.log');
    const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
    return lines.map((line) => {
      const [entry = '', attempt, name = '', sha256 = ''] = line.split(' ');
      return { entry, attempt: Number(attempt), name, sha256 };
    });
  }

  [Symbol.dispose](): void {
    this.#person[Symbol.dispose]();
  }
}

test(`${kills} kills of ${pullerCount} pullers while ${entryCount} entries arrive: each is acknowledged once`, {
  timeout: 900_000,
}, async () => {
  const [sender, receiver] = [await createAccount('storm-sender'), await createAccount('storm-receiver')];
  const client = new Waybill({ baseUrl: demo().base_url, ...sender });
  const inbox = new Waybill({ baseUrl: demo().base_url, ...receiver });
  const pullers = Array.from({ length: pullerCount }, () => new Puller(receiver));
  const sent = new Map<string, string>();
  const sendAll = async () => {
    for (let entry = 0; entry < entryCount; entry += 1) {
      const files = [0, 1].map((file) => {
        const content = randomBytes(1 + Math.floor(Math.random() * 200_000));
        const name = `file-${entry}-${file}.bin`;
        sent.set(name, createHash('sha256').update(content).digest('hex'));
        return { name, content };
      });
      await client.send({ files, to: [receiver.user], notify: false });
    }
  };

  const sending = sendAll();
  for (let kill = 0; kill < kills; kill += 1) {
    await pause(Math.random() * 1_500);
    await pullers[Math.floor(Math.random() * pullers.length)]?.killAndStart();
  }
  await sending;

  const readStates = async () => (await listEntries(inbox)).map(({ state }) => state);
  const acknowledged = Array.from({ length: entryCount }, () => 'acknowledged');
  await eventually(
    'every entry is acknowledged',
    async () => ((await readStates()).every((state) => state === 'acknowledged') ? true : undefined),
    { withinMs: 300_000, everyMs: 500 },
  );
  expect(await readStates()).toEqual(acknowledged);
  expect(await Promise.all(pullers.map((puller) => puller.stop()))).toEqual(pullers.map(() => true));

  const told = pullers.flatMap((puller) => puller.hooked());
  expect(new Map(told.map(({ name, sha256 }) => [name, sha256]))).toEqual(sent);
  for (const { name, sha256 } of told) expect(sha256).toBe(sent.get(name));
  // Each attempt is one puller's, and the last is the one that was acknowledged.
  const attempts = told.map(({ entry, attempt, name }) => `${entry} ${attempt} ${name}`);
  expect(new Set(attempts).size).toBe(attempts.length);
  const counted = new Map((await listEntries(inbox)).map((entry) => [entry.id, entry.attempts]));
  for (const { entry, attempt } of told) expect(attempt).toBeLessThanOrEqual(counted.get(entry) ?? 0);
  for (const puller of pullers) puller[Symbol.dispose]();
  client.close();
  inbox.close();
});

async function listEntries(client: Waybill): Promise<InboxEntry[]> {
  const entries: InboxEntry[] = [];
  for await (const entry of client.inbox.list()) entries.push(entry);
  return entries;
}
