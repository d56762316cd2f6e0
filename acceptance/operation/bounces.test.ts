// Mails that mail servers refuse or send back, on a Postfix of the test's own: at once, later by a mail to a Maildir, and
// later by a mail that Postfix hands to `waybilld admin mail bounce`.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { readMailsTo } from '../../tools/shared/mailbox.ts';
import type { Client } from '../lib/http/client.ts';
import { dispatch } from '../lib/scenario.ts';
import { programPath } from '../lib/servers/admin.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { OwnPostfix } from '../lib/servers/own-postfix.ts';
import { eventually } from '../lib/wait.ts';

let postfix: OwnPostfix;
let exchange: OwnExchange;
let client: Client;
beforeAll(async () => {
  postfix = await OwnPostfix.start();
  exchange = await ownExchange({ settings: { WAYBILL_SMTP_URL: postfix.url } });
  client = await exchange.client('bounces');
  const demo = demoEnvironment();
  const entrusted = (name: string) => postfix.entrust(name.toLowerCase(), readFileSync(demo[name] ?? '', 'utf8'));
  postfix.runForBounces(`${process.execPath} ${programPath} admin mail bounce`, {
    ...demo,
    WAYBILL_DATABASE_URL: exchange.databaseUrl,
    WAYBILL_MASTER_KEY_FILE: entrusted('WAYBILL_MASTER_KEY_FILE'),
    WAYBILL_KEY_PEPPER_FILE: entrusted('WAYBILL_KEY_PEPPER_FILE'),
    WAYBILL_BOUNCE_ADDRESS: 'bounces@pipe.test',
  });
}, 120_000);
afterAll(async () => {
  await exchange?.[Symbol.asyncDispose]();
  await postfix?.[Symbol.asyncDispose]();
});

interface Receiver {
  receiver: string;
  notifiedAt: string | null;
  undeliverableAt: string | null;
  undeliverableReason: string | null;
}

interface Sent {
  readonly dropId: string;
  readonly to: string;
  /** The mails that the sender had got about this address before. */
  readonly told: number;
}

/** Sends a drop to this address and to one that works. */
async function send(to: string): Promise<Sent> {
  const { length } = await told(to);
  await dispatch(client, {
    to: [to, `${crypto.randomUUID()}@receiver.test`],
    files: [{ name: 'a.txt', content: 'a' }],
  });
  const [drop] = await exchange.query<{ id: string }>('select id from drops order by created_at desc limit 1');
  return { dropId: drop?.id as string, to, told: length };
}

async function readReceivers(dropId: string): Promise<[bad: Receiver, good: Receiver]> {
  const { stdout } = await exchange.admin('drops', 'show', dropId, '--account', client.user, '--json');
  return JSON.parse(stdout);
}

const told = async (about: string) =>
  (await readMailsTo(postfix.mailFolder, client.user)).filter(({ email }) => email.subject?.includes(about));

/** Expects everything that should happen once a mail could not be delivered. */
async function expectUndeliverable({ dropId, to, told: before }: Sent, reason: RegExp): Promise<void> {
  await eventually('the sender is told', async () => (await told(to))[before]);
  const [bad, good] = await readReceivers(dropId);
  expect(bad).toMatchObject({
    receiver: to,
    undeliverableAt: expect.any(String),
    undeliverableReason: expect.stringMatching(reason),
  });
  expect(good.undeliverableAt).toBeNull();

  await exchange.query('update drops set remind_at = now() where id = $1', [dropId]);
  await exchange.sweep();
  const reminded = await eventually('the other receiver is reminded', async () => {
    const messages = await exchange.query<{ receiver: string; state: string }>(
      "select receiver, state from messages where drop_id = $1 and kind = 'reminder'",
      [dropId],
    );
    return messages.some(({ state }) => state === 'sent') ? messages : undefined;
  });
  expect(reminded.map(({ receiver }) => receiver)).toEqual([good.receiver]);
  const mails = await told(to);
  expect(mails).toHaveLength(before + 1);
  expect(mails.at(-1)?.email.text).toMatch(/a\.txt/);
}

test('a mail that is refused at once makes its receiver undeliverable', async () => {
  await exchange.work();
  const sent = await send('nouser@receiver.test');
  const { dropId, to } = sent;
  await expectUndeliverable(sent, /^550 5\.1\.1 /);
  expect((await readReceivers(dropId))[0].notifiedAt).toBeNull();

  // Sent again by an administrator it is not out of reach, until it is refused again.
  const given = JSON.parse((await exchange.admin('outbox', 'list', '--state', 'abandoned', '--json')).stdout);
  expect(given).toMatchObject([{ kind: 'invitation', receiver: to }]);
  await exchange.rest();
  await exchange.admin('outbox', 'retry', '--all');
  expect((await readReceivers(dropId))[0].undeliverableAt).toBeNull();
  await exchange.work();
  await eventually('the sender is told again', async () => (await told(to))[sent.told + 1]);
  await exchange.rest();
}, 120_000);

test('a mail that is sent back to a Maildir makes its receiver undeliverable', async () => {
  const address = { WAYBILL_BOUNCE_ADDRESS: 'bounces@mailbox.test' };
  // A report of a delay changes nothing. It is left in the Maildir, where the test finds it.
  await exchange.work(address);
  const slow = await send('slow@receiver.test');
  const delayed = await eventually('a report of a delay', async () => readdirSync(`${postfix.bounceFolder}/new`)[0]);
  expect(readFileSync(`${postfix.bounceFolder}/new/${delayed}`, 'utf8')).toMatch(/^Action: delayed$/m);

  await exchange.rest();
  await exchange.work({ ...address, WAYBILL_BOUNCE_MAILDIR: postfix.bounceFolder });
  const late = await send('late@receiver.test');
  await expectUndeliverable(late, /no such mailbox/);
  expect((await readReceivers(late.dropId))[0].notifiedAt).not.toBeNull();
  await eventually('all are read', async () => readdirSync(`${postfix.bounceFolder}/new`).length === 0 || undefined);
  expect((await readReceivers(slow.dropId))[0]).toMatchObject({
    notifiedAt: expect.any(String),
    undeliverableAt: null,
  });
  await exchange.rest();
}, 120_000);

test('a mail that is sent back to a command makes its receiver undeliverable', async () => {
  await exchange.work({ WAYBILL_BOUNCE_ADDRESS: 'bounces@pipe.test' });
  const late = await send('late@receiver.test');
  await expectUndeliverable(late, /no such mailbox/);
  expect((await readReceivers(late.dropId))[0].notifiedAt).not.toBeNull();
  await exchange.rest();
}, 120_000);
