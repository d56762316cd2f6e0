// The checker itself: it reports nothing while every guarantee holds, and names each one that a test violates on
// purpose.
import { randomBytes } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createAccount, uniqueAddress } from '../lib/accounts.ts';
import { Client, succeeded } from '../lib/http/client.ts';
import type { FileToUpload } from '../lib/http/multipart.ts';
import { introduce } from '../lib/scenario.ts';
import {
  chunkKey,
  deleteObject,
  demoInside,
  type Inside,
  query,
  readObject,
  writeObject,
} from '../lib/servers/exchange-internals.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';
import { check, judge } from './checker.ts';
import { ask, type IntendedDispatch, Journal } from './journal.ts';

let journal: Journal;
let dispatch: IntendedDispatch;
let outside: string;

/** A complete dispatch to an account and an external address, and a file that is still staged. */
beforeEach(async () => {
  const [sender, receiver] = await Promise.all([createAccount('judged'), createAccount('receiving')]);
  journal = new Journal(new Client(sender), new Client(receiver));
  outside = uniqueAddress('outside');
  await introduce(journal.sender, [receiver.user, outside]);
  const files = ['first.bin', 'second.bin'].map((name) => ({ name, content: randomBytes(5000) }));
  dispatch = await dispatchFiles('sent', files);
  await uploadFiles('kept', [{ name: 'staged.bin', content: randomBytes(5000) }]);
});

test('reports nothing if every promise was kept', async () => {
  expect(await check([journal])).toEqual([]);
});

test('reports nothing for a request without a response, or a refused one, that left nothing', async () => {
  for (const outcome of ['unknown', 'failed'] as const) {
    const file = { name: `${outcome}.bin`, content: 'x' };
    journal.recordUpload(outcome, [file]).outcomes.push(outcome);
    journal
      .recordDispatch(outcome, [file], [outside], `message ${randomBytes(8).toString('hex')}`)
      .outcomes.push(outcome);
  }
  expect(await check([journal])).toEqual([]);
});

test('reports nothing for a drop that ends during the check', async () => {
  await check([journal]);
  await query("update drops set expires_at = now() + interval '5 seconds' where message = $1", [dispatch.message]);
  const hasEnded = () => query('select 1 from drops where message = $1 and expires_at <= now()', [dispatch.message]);
  const inside: Inside = {
    ...demoInside,
    // Asked for after the API and before the database.
    async objectKeys(prefix) {
      await eventually('the end of the drop', async () => (await hasEnded())[0]);
      return await demoInside.objectKeys(prefix);
    },
  };
  expect(await check([journal], { inside })).toEqual([]);
});

test('reports a usage that differs from what the account stores', async () => {
  const { user } = journal.sender;
  await query('update usage set stored_bytes = 7 from accounts where id = account_id and email = $1', [user]);
  expect(await check([journal])).toEqual([`usage of ${user}: is 7, but it stores 15000 bytes`]);
});

describe('acknowledged uploads', () => {
  test('reports a staged file that is missing', async () => {
    succeeded(await journal.sender.inDraft('kept').removeFile('staged.bin'));
    expect(await check([journal])).toEqual(['acknowledged upload staged.bin: is not listed']);
  });

  test('reports a staged file with other bytes', async () => {
    succeeded(await journal.sender.inDraft('kept').upload({ name: 'staged.bin', content: 'other' }));
    expect(await check([journal])).toEqual(['acknowledged upload staged.bin: is kept with other bytes']);
  });
});

describe('nothing partial', () => {
  test('reports a staged file that no client sent', async () => {
    succeeded(await journal.sender.inDraft('kept').upload({ name: 'foreign.bin', content: 'x' }));
    expect(await check([journal])).toEqual(['visible file foreign.bin: nobody sent it to draft kept']);
  });

  test('reports a file with other bytes than were sent', async () => {
    const sent = dispatch.files[0];
    if (sent) sent.sha256 = '0'.repeat(64);
    for (const file of journal.uploads[0]?.files ?? []) if (file.name === sent?.name) file.sha256 = sent.sha256;
    expect(await check([journal])).toEqual([
      'visible file first.bin: is not what anybody sent',
      `ok dispatch ${dispatch.message}: keeps first.bin with other bytes`,
      `ok dispatch ${dispatch.message}: first.bin does not arrive byte for byte`,
      `ok dispatch ${dispatch.message}: the log has other files`,
    ]);
  });

  test('reports a file that cannot be downloaded', async () => {
    await check([journal]);
    const key = chunkKey(await fileId('first.bin'), 0);
    await writeObject(key, (await readObject(key)).subarray(0, 100));
    expect(await judge([journal])).toEqual([
      'visible file first.bin: does not download (status 500)',
      `ok dispatch ${dispatch.message}: first.bin does not arrive byte for byte`,
    ]);
  });
});

describe('acknowledged dispatches', () => {
  test('reports a drop without one of its links', async () => {
    await check([journal]);
    await query('delete from messages using links where links.email = $1 and messages.drop_id = links.drop_id', [
      outside,
    ]);
    await query('delete from links where email = $1', [outside]);
    expect(await judge([journal])).toEqual([
      `ok dispatch ${dispatch.message}: has links for ${journal.receiver.user}`,
      `ok dispatch ${dispatch.message}: the link of ${outside} returns 404, not 200`,
      `ok dispatch ${dispatch.message}: its history has other receivers`,
    ]);
  });

  test('reports a link that differs from the one in the mail', async () => {
    await check([journal]);
    await query('update links set token_digest = $1 where email = $2', [randomBytes(32), outside]);
    expect(await judge([journal])).toEqual([
      `ok dispatch ${dispatch.message}: the mail to ${outside} has another link`,
      `ok dispatch ${dispatch.message}: the link of ${outside} returns 404, not 200`,
    ]);
  });

  test('reports a drop without one of its files', async () => {
    await check([journal]);
    await query('update files set drop_id = null where id = $1', [await fileId('first.bin')]);
    const found = await judge([journal]);
    expect(found).toContain(`ok dispatch ${dispatch.message}: holds second.bin`);
    expect(found).toContain(`ok dispatch ${dispatch.message}: is 0 times in the receiver's inbox`);
  });

  test('reports a missing dispatch, and one that was not requested', async () => {
    await check([journal]);
    await query('update drops set message = $1 where message = $2', ['another message', dispatch.message]);
    expect(await judge([journal])).toEqual([
      `ok dispatch ${dispatch.message}: is 0 drops`,
      `ok dispatch ${dispatch.message}: 1 mails to ${journal.receiver.user} for 0 drops`,
      `ok dispatch ${dispatch.message}: 1 mails to ${outside} for 0 drops`,
      'drop another message: nobody asked for it',
    ]);
  });

  test('reports a dispatch that happened twice, with mails for both', async () => {
    const files = [{ name: 'again.bin', content: 'again' }];
    const uploadAndSend = async () => {
      const client = journal.sender.inDraft('sent');
      succeeded(await client.setReceivers([{ email: outside }]));
      succeeded(await client.files());
      succeeded(await client.upload(...files));
      return await client.createDrop({ ddmessage: twice.message });
    };
    journal.recordUpload('sent', files).outcomes.push('ok');
    const twice = journal.recordDispatch('sent', files, [outside], `message ${randomBytes(8).toString('hex')}`);
    await ask(twice, 'ok', uploadAndSend);
    await ask(twice, 'ok', uploadAndSend);
    expect(await check([journal])).toEqual([`ok dispatch ${twice.message}: is 2 drops`]);
  });

  test('reports a refused dispatch that happened nevertheless', async () => {
    dispatch.outcomes = ['failed'];
    expect(await check([journal])).toContain(`failed dispatch ${dispatch.message}: is 1 drops`);
  });

  test('reports a receiver without a mail', async () => {
    await check([journal]);
    dispatch.receivers = [journal.receiver.user, uniqueAddress('nobody')];
    expect(await judge([journal])).toContain(
      `ok dispatch ${dispatch.message}: 0 mails to ${dispatch.receivers[1]} for 1 drops`,
    );
  });
});

describe('links', () => {
  const update = (change: string) => query(`update drops set ${change} where message = $1`, [dispatch.message]);

  test('reports nothing for an ended drop whose links and inbox entry are gone', async () => {
    await check([journal]);
    await update(`expires_at = now() - interval '1 second'`);
    expect(await check([journal])).toEqual([]);
  });

  test('reports a link that works, and an inbox entry that is listed, after the end', async () => {
    await check([journal]);
    // The checker sees that it has ended, and the server learns of it only afterwards.
    const inside = {
      ...demoInside,
      query: async <Row>(sql: string, values?: unknown[]) => {
        if (sql.includes('from drops')) await update('ended_at = now()');
        return await query<Row>(sql, values);
      },
    };
    expect(await judge([journal], { inside })).toEqual(
      expect.arrayContaining([
        `ok dispatch ${dispatch.message}: the link of ${outside} returns 200, not 410`,
        `ok dispatch ${dispatch.message}: is in the receiver's inbox after its end`,
      ]),
    );
  });

  test('reports an inbox that another account can read', async () => {
    await check([journal]);
    // A sender that gets the receiver's response.
    const { sender, receiver } = journal;
    sender.download = (...asked) => receiver.download(...asked);
    expect(await judge([journal])).toEqual([`ok dispatch ${dispatch.message}: another account gets 200 for its files`]);
  });
});

describe('mails', () => {
  test('reports one that still waits', async () => {
    await check([journal]);
    await query(
      `update messages set state = 'waiting', due_at = now() + interval '1 day', settled_at = null
       where receiver = $1`,
      [outside],
    );
    expect(await judge([journal])).toEqual([`drop ${dispatch.message}: its mail to ${outside} still waits`]);
  });

  test('reports one that was delivered twice without an explanation', async () => {
    await check([journal]);
    const path = await mailPath(outside);
    const copy = `${path}.copy`;
    copyFileSync(path, copy);
    try {
      expect(await judge([journal])).toEqual(['mails: 1 came twice, and 0 can be explained']);
      expect(await judge([journal], { doubledMails: 1 })).toEqual([]);
    } finally {
      rmSync(copy);
    }
  });

  test('reports one that was sent to someone else', async () => {
    await check([journal]);
    const path = await mailPath(outside);
    const copy = `${path}.astray`;
    const stranger = uniqueAddress('stranger');
    writeFileSync(copy, readFileSync(path, 'latin1').replaceAll(outside, stranger), 'latin1');
    try {
      expect(await judge([journal])).toContain(`mail about ${dispatch.message}: went to ${stranger}`);
    } finally {
      rmSync(copy);
    }
  });
});

describe('scans', () => {
  test('reports a file that was not scanned although that is required', async () => {
    expect(await check([journal], { scanned: true })).toEqual([]);
    await query(`update files set scan = 'unscanned' where id = $1`, [await fileId('staged.bin')]);
    expect(await judge([journal], { scanned: true })).toEqual([
      'file staged.bin: is unscanned where scanning is required',
    ]);
  });

  test('reports an infected file that was accepted', async () => {
    const [intention] = journal.uploads.slice(-1);
    if (intention) intention.infected = true;
    expect(await check([journal])).toEqual([
      'infected upload to kept: was acknowledged',
      'infected file staged.bin: is kept',
    ]);
  });
});

describe('a clean bucket', () => {
  test('reports a ready file without one of its objects', async () => {
    await check([journal]);
    const key = chunkKey(await fileId('staged.bin'), 0);
    await deleteObject(key);
    expect(await judge([journal])).toEqual([`object ${key}: the ready file staged.bin lacks it`]);
  });

  test('reports an object that belongs to no file', async () => {
    await check([journal]);
    const key = chunkKey(crypto.randomUUID(), 0);
    await writeObject(key, Buffer.from('stray'));
    try {
      expect(await judge([journal])).toEqual([`object ${key}: belongs to no file`]);
    } finally {
      await deleteObject(key);
    }
  });

  test('reports an object that its file does not need', async () => {
    await check([journal]);
    const key = chunkKey(await fileId('staged.bin'), 1);
    await writeObject(key, Buffer.from('left over'));
    expect(await judge([journal])).toEqual([`object ${key}: its file does not need it`]);
  });

  test('reports a failed upload that was not swept', async () => {
    await check([journal]);
    // Leased to another sweep that never finishes, so that no other sweep takes it meanwhile.
    await query(
      `update files set state = 'deleting', wrapped_key = null, lease_until = now() + interval '1 hour' where id = $1`,
      [await fileId('staged.bin')],
    );
    const found = await judge([journal]);
    expect(found).toContainEqual(expect.stringMatching(/^file \S+ \(staged\.bin\): still deleting after sweeping$/));
    expect(found).toContain('acknowledged upload staged.bin: is not listed');
  });
});

async function uploadFiles(draft: string, files: FileToUpload[]): Promise<void> {
  const intention = journal.recordUpload(draft, files);
  expect(await ask(intention, 'done', () => journal.sender.inDraft(draft).upload(...files))).toBe('ok');
}

async function dispatchFiles(draft: string, files: FileToUpload[]): Promise<IntendedDispatch> {
  const client = journal.sender.inDraft(draft);
  const receivers = [journal.receiver.user, outside];
  succeeded(await client.setReceivers(receivers.map((email) => ({ email }))));
  succeeded(await client.files());
  await uploadFiles(draft, files);
  const intention = journal.recordDispatch(draft, files, receivers, `message ${randomBytes(8).toString('hex')}`);
  expect(await ask(intention, 'ok', () => client.createDrop({ ddmessage: intention.message }))).toBe('ok');
  return intention;
}

async function mailPath(address: string): Promise<string> {
  const { mail_dir } = demo();
  const name = readdirSync(mail_dir).find((path) => readFileSync(join(mail_dir, path), 'latin1').includes(address));
  if (name === undefined) throw new Error(`no mail to ${address}`);
  return join(mail_dir, name);
}

/** The id of the sender's ready file with that name. */
async function fileId(name: string): Promise<string> {
  const [row] = await query<{ id: string }>(
    `select files.id from files join accounts on accounts.id = account_id
     where email = $1 and files.name = $2 and state = 'ready'`,
    [journal.sender.user, name],
  );
  if (!row) throw new Error(`there is no ready file ${name}`);
  return row.id;
}
