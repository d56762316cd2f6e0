// Honest states and courtesy: a receipt when a receiver has everything, and one reminder to those who do not.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { linkTokens, mailsTo, waitForMail } from '../lib/people/mailbox.ts';
import { openedLink } from '../lib/people/opened-link.ts';
import { sendFiles, sentTo } from '../lib/people/receiver.ts';
import { deliver, dispatch } from '../lib/scenario.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { query, sweep } from '../lib/servers/exchange-internals.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

const files = [
  { name: 'a.txt', content: 'first' },
  { name: 'b.txt', content: 'second' },
];

async function openedBy(link: string) {
  const { page, headers: own } = await openedLink(link);
  return { get: (path: string, headers = {}) => fetch(`${page}${path}`, { headers: { ...headers, ...own } }) };
}
const hrefs = async (page: Response) =>
  [...(await page.text()).matchAll(/href="(files\/[^"]+)"/g)].map(([, href = '']) => href);
describe('the sender', () => {
  test('gets one receipt when the receiver has every byte, over as many requests as it took', async () => {
    const client = await freshClient('receipted');
    const sent = await sendFiles(client, files);
    const { get } = await openedBy(sent.link);
    const [first = '', second = ''] = await hrefs(await get(''));
    await (await get(first)).text();
    // As download managers do: the end first, with overlapping parts.
    await (await get(second, { Range: 'bytes=4-5' })).text();
    await Promise.all(['bytes=0-2', 'bytes=2-4'].map(async (Range) => (await get(second, { Range })).text()));
    // Again, and all at once: the receiver already has everything.
    await (await get(first)).text();
    await (await get('all.zip')).arrayBuffer();
    const { email } = await waitForMail(client.user);
    expect(email.subject).toBe(`Your 2 files were sent in full to ${sent.receiver}`);
    expect(email.text).toContain('b.txt');
    const [drop] = await query<{ id: string }>('select drop_id as id from links where email = $1', [sent.receiver]);
    const states = await adminJson<{ receiver: string; completedAt: string | null; files: unknown[] }[]>([
      'drops',
      'show',
      drop?.id ?? '',
      '--account',
      client.user,
      '--json',
    ]);
    expect(states).toMatchObject([
      {
        receiver: sent.receiver,
        notifiedAt: expect.any(String),
        openedAt: expect.any(String),
        passedAt: null,
        completedAt: expect.any(String),
        files: [
          { name: 'a.txt', sizeBytes: 5, deliveredBytes: 5 },
          { name: 'b.txt', sizeBytes: 6, deliveredBytes: 6 },
        ],
      },
    ]);
    expect(await mailsTo(client.user)).toHaveLength(1);
  });

  test('gets one for an account that fetched the files by the API, too', async () => {
    const [client, receiver] = [await freshClient('from'), await freshClient('to')];
    const entry = await deliver(client, receiver, files);
    for (const { name } of files) await receiver.download(entry.url, name);
    expect((await waitForMail(client.user)).email.subject).toContain(receiver.user);
  });

  test('gets none when it does not want any, nor while a byte is missing', async () => {
    const quiet = await freshClient('quiet');
    await adminJson(['accounts', 'set', '--email', quiet.user, '--receipts', 'off', '--json']);
    const client = await freshClient('partly');
    for (const sender of [quiet, client]) {
      const sent = await sendFiles(sender, files);
      const { get } = await openedBy(sent.link);
      const [first = '', second = ''] = await hrefs(await get(''));
      await (await get(first)).text();
      await (await get(second, sender === client ? { Range: 'bytes=1-5' } : {})).text();
    }
    await eventually('the quiet one’s receiver has everything', async () => {
      const [row] = await query<{ complete: boolean }>(
        `select bool_or(completed_at is not null) as complete from links join accounts on accounts.id = account_id
         where accounts.email = $1`,
        [quiet.user],
      );
      return row?.complete || undefined;
    });
    const [messages] = await query<{ count: string }>(
      "select count(*) from messages join accounts on accounts.id = account_id where kind = 'receipt' and accounts.email = any($1)",
      [[quiet.user, client.user]],
    );
    expect(messages?.count).toBe('0');
  });
});

describe('before the deadline', () => {
  let client: Client;
  beforeAll(async () => {
    client = await freshClient('reminding');
  });
  const nearDeadline = (message: string) =>
    query("update drops set remind_at = now() - interval '1 second' where message = $1", [message]);

  test('who has not everything is reminded once, with a link that works', async () => {
    const ddmessage = randomUUID();
    const [ready, late] = [uniqueAddress('ready'), uniqueAddress('late')];
    await dispatch(client, { to: [ready, late], files, parameters: { ddmessage } });
    const { get } = await openedBy((await sentTo(ready)).link);
    await (await get('all.zip')).arrayBuffer();
    await eventually('one has everything', async () => {
      const rows = await query('select from links where email = $1 and completed_at is not null', [ready]);
      return rows.length > 0 || undefined;
    });
    await sentTo(late);
    await nearDeadline(ddmessage);
    await sweep();
    await sweep();
    const reminder = await eventually('a reminder', async () => (await mailsTo(late)).length === 2 || undefined);
    expect(reminder).toBe(true);
    const mails = await mailsTo(late);
    const tokens = new Set(mails.flatMap((mail) => linkTokens(mail, 'd')));
    expect(tokens.size).toBe(1);
    const again = await openedBy(`${demo().base_url}/d/${[...tokens][0]}`);
    expect(await hrefs(await again.get(''))).toHaveLength(2);
    expect(new Set(mails.map(({ email }) => email.subject)).size).toBe(2);
    expect(await mailsTo(ready)).toHaveLength(1);
  });

  test('nobody is reminded by an account that does not want it', async () => {
    const ddmessage = randomUUID();
    await adminJson(['accounts', 'set', '--email', client.user, '--reminders', 'off', '--json']);
    const receiver = uniqueAddress('unreminded');
    await dispatch(client, { to: [receiver], files, parameters: { ddmessage } });
    await sentTo(receiver);
    await nearDeadline(ddmessage);
    await sweep();
    const kinds = await query<{ kind: string }>('select kind from messages where receiver = $1', [receiver]);
    expect(kinds).toEqual([{ kind: 'invitation' }]);
    await adminJson(['accounts', 'set', '--email', client.user, '--reminders', 'on', '--json']);
  });
});

test('a mail that is refused for good is on view, and can be sent again', async () => {
  interface Line {
    id: string;
    account: string;
    receiver: string;
    attempts: number;
    outcome: string;
  }
  const client = await freshClient('refused');
  const list = async (state: string) =>
    (await adminJson<Line[]>(['outbox', 'list', '--state', state, '--json'])).filter(
      ({ account, receiver }) => account === client.user && receiver === refused,
    );
  // The mail server replies 550 for this one.
  const refused = 'nouser@receiver.test';
  await dispatch(client, { to: [refused], files });
  const line = await eventually('it is given up', async () => (await list('abandoned'))[0]);
  expect(line).toMatchObject({ receiver: refused, attempts: 1 });
  expect(line.outcome).toContain('550');
  await adminJson(['outbox', 'retry', line.id, '--account', client.user, '--json']);
  const again = await eventually('it is given up again', async () => (await list('abandoned'))[0]);
  expect(again.id).toBe(line.id);
  expect(await list('waiting')).toEqual([]);
});
