import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { incomingFile, openTestExchange, type TestExchange, testUploadResources } from '../../../test/exchange.ts';
import {
  announceUpload,
  openRequestLink,
  readyFile,
  splitIntoPieces,
  takeOverUpload,
} from '../../../test/file-requests.ts';
import type { Actor } from '../actor.ts';
import { removeFile, setReceivers } from '../drafts/change-draft.ts';
import { dispatchDraft } from '../drops/dispatch-draft.ts';
import { revokeDrop } from '../drops/revoke-drop.ts';
import { segmentBytes, segmentsPerChunk } from '../files/sealing.ts';
import { codeTarget } from '../links/second-factor.ts';
import { sweep } from '../sweep.ts';
import { contactDraftOwner } from '../uploads/contact-draft.ts';
import { accountOwner } from '../uploads/owner.ts';
import { receiveBytes } from '../uploads/receive-bytes.ts';
import { completeUploads, stageUpload } from '../uploads/stage-upload.ts';
import type { Quotas } from './quota-store.ts';
import { findAccount } from './read-accounts.ts';
import { readPolicy } from './read-policy.ts';
import { createGroup, findGroup, removeGroup, setAccountQuotas } from './set-quotas.ts';

const chunkBytes = segmentsPerChunk * segmentBytes;
let exchange: TestExchange;
let engines: TestExchange['engines'];

beforeAll(async () => {
  exchange = await openTestExchange();
  engines = exchange.engines;
});
afterAll(() => exchange[Symbol.asyncDispose]());

async function limited(quotas: Partial<Quotas>, ...contacts: string[]): Promise<Actor> {
  const actor = await exchange.account(...contacts);
  await setAccountQuotas(engines, { id: actor.accountId }, quotas);
  return actor;
}

/** The account's usage, which must equal its stored bytes. */
async function stored({ accountId }: Pick<Actor, 'accountId'>): Promise<number> {
  const { before, after } = await engines.store.transaction((tx) => tx.quotas.recount(accountId));
  expect(before, 'the usage is the sum').toBe(after);
  return after;
}

async function upload(actor: Actor, name: string, bytes: number, reservedBytes?: number): Promise<void> {
  const owner = accountOwner(actor, '');
  const mine = { ...engines, policy: await readPolicy(engines, actor.accountId) };
  const incoming = { ...incomingFile(name, Buffer.alloc(bytes)), reservedBytes };
  await completeUploads(engines, owner, [await stageUpload(mine, owner, incoming)]);
}

const readCode = (error: unknown) => (error as { code?: string }).code;

describe('what an account stores', () => {
  test('is counted through the whole life of its files, and given back at its end', async () => {
    const actor = await exchange.account('r@example.org');
    await exchange.upload(actor, 'a.txt', Buffer.alloc(1000));
    await exchange.upload(actor, 'a.txt', Buffer.alloc(400));
    expect(await stored(actor), 'a file that was replaced is not counted').toBe(400);
    await exchange.upload(actor, 'b.txt', Buffer.alloc(50));
    await removeFile(engines, actor, '', 'b.txt');
    expect(await stored(actor)).toBe(400);
    const drop = await exchange.drop(actor, ['r@example.org'], ['c.txt']);
    expect(await stored(actor)).toBe(400 + Buffer.byteLength('content of c.txt'));
    await revokeDrop(engines, await findAccount(engines, actor.email), drop, engines.administrator);
    expect(await stored(actor)).toBe(0);
  });

  test('includes what an upload in progress has reserved, until it is complete or abandoned', async () => {
    const actor = await exchange.account();
    const owner = accountOwner(actor, '');
    const staged = await stageUpload(engines, owner, { ...incomingFile('a', Buffer.alloc(100)), reservedBytes: 5000 });
    expect(await stored(actor)).toBe(5000);
    await completeUploads(engines, owner, [staged]);
    expect(await stored(actor)).toBe(100);
    await stageUpload(engines, owner, { ...incomingFile('b', Buffer.alloc(100)), reservedBytes: 7000 });
    expect(await stored(actor)).toBe(7100);
    // Its process dies.
    await exchange.database.query("update uploads set due_at = now() - interval '1 second' where account_id = $1", [
      actor.accountId,
    ]);
    await sweep(engines);
    expect(await stored(actor)).toBe(100);
  });

  test('includes what contacts send, as it arrives: what they only announce takes no room from others', async () => {
    const { actor, link } = await openRequestLink(exchange);
    await setAccountQuotas(engines, { id: actor.accountId }, { maxStoredBytes: 1000 });
    await announceUpload(engines, link, 'a.txt', 1000);
    const late = await announceUpload(engines, link, 'late.txt', 101);
    expect(await stored(actor)).toBe(0);
    await readyFile(engines, link, 'c.txt', Buffer.alloc(900));
    expect(await stored(actor)).toBe(900);
    // There was room when it was announced, but not now that its bytes come.
    const { writer, upload: found } = await takeOverUpload(engines, link, late);
    const bytes = splitIntoPieces(Buffer.alloc(101));
    await expect(receiveBytes(engines, contactDraftOwner(link), writer, found, bytes)).rejects.toMatchObject({
      code: 'storage_full',
    });
    expect(await stored(actor)).toBe(900);
    // A file for which there is no room is refused before it is sent.
    await expect(announceUpload(engines, link, 'b.txt', 101)).rejects.toMatchObject({ code: 'storage_full' });
    await upload(actor, 'own', 100, 100);
    expect(await stored(actor)).toBe(1000);
  });

  test('is full to the byte: what fits is taken, one byte more is not, and says how much it may be', async () => {
    const actor = await limited({ maxStoredBytes: 1000 });
    await upload(actor, 'a', 600, 600);
    await expect(upload(actor, 'b', 401, 401)).rejects.toMatchObject({
      code: 'storage_full',
      message: expect.stringContaining('may store 1000 bytes'),
    });
    expect(await stored(actor)).toBe(600);
    await upload(actor, 'b', 400, 400);
    expect(await stored(actor)).toBe(1000);
  });

  test('is reserved as it arrives where a request does not say how much it carries, to the byte at the end', async () => {
    const actor = await limited({ maxStoredBytes: 2 * chunkBytes + 10 });
    await expect(upload(actor, 'more', 2 * chunkBytes + 11)).rejects.toMatchObject({ code: 'storage_full' });
    expect(await stored(actor)).toBe(0);
    await upload(actor, 'all', 2 * chunkBytes + 10);
    expect(await stored(actor)).toBe(2 * chunkBytes + 10);
  });

  test('is never more than allowed, nor less by a whole upload, however many arrive at once', async () => {
    const size = 1000;
    const actor = await limited({ maxStoredBytes: 10 * size + size / 2 });
    const uploadResources = testUploadResources(engines.store);
    const policy = await readPolicy(engines, actor.accountId);
    const owner = accountOwner(actor, '');
    const results = await Promise.allSettled(
      Array.from({ length: 30 }, async (_, number) => {
        const incoming = { ...incomingFile(`${number}`, Buffer.alloc(size)), reservedBytes: size };
        await completeUploads(engines, owner, [
          await stageUpload({ ...engines, uploadResources, policy }, owner, incoming),
        ]);
      }),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.map(({ reason }) => readCode(reason))).toEqual(Array(20).fill('storage_full'));
    expect(await stored(actor)).toBe(10 * size);
  });

  test('may stay above a limit that was lowered: nothing is lost, and nothing more is taken', async () => {
    const actor = await exchange.account('r@example.org');
    await exchange.upload(actor, 'a', Buffer.alloc(500));
    await setAccountQuotas(engines, { id: actor.accountId }, { maxStoredBytes: 100 });
    await expect(upload(actor, 'b', 1, 1)).rejects.toMatchObject({ code: 'storage_full' });
    await removeFile(engines, actor, '', 'a');
    await upload(actor, 'b', 1, 1);
    expect(await stored(actor)).toBe(1);
  });

  test('is corrected by a recount, which says by how much', async () => {
    const actor = await exchange.account();
    await exchange.upload(actor, 'a', Buffer.alloc(500));
    await exchange.database.query('update usage set stored_bytes = 7 where account_id = $1', [actor.accountId]);
    const recount = () => engines.store.transaction((tx) => tx.quotas.recount(actor.accountId));
    expect(await recount()).toEqual({ before: 7, after: 500 });
    expect(await recount()).toEqual({ before: 500, after: 500 });
  });

  test('is right after a recount in the middle of uploads', async () => {
    const actor = await exchange.account();
    await Promise.all([
      ...Array.from({ length: 20 }, (_, number) =>
        exchange.upload(actor, `${number}`, Buffer.alloc(100), `d${number}`),
      ),
      ...Array.from({ length: 20 }, () => stored(actor)),
    ]);
    expect(await stored(actor)).toBe(2000);
  });
});

test('a file larger than the account may send is refused, and the message says so', async () => {
  const actor = await limited({ maxFileBytes: 100 });
  await upload(actor, 'a', 100, 100);
  const refusal = { code: 'too_large', message: expect.stringContaining('files of up to 100 bytes') };
  await expect(upload(actor, 'b', 101, 101)).rejects.toMatchObject(refusal);
  expect(await stored(actor)).toBe(100);
});

describe('what an account sends in a day', () => {
  const send = async (actor: Actor, message: string) => {
    await exchange.prepare(actor, ['a@example.org', 'b@example.org'], [`${message}.txt`]);
    await dispatchDraft(engines, actor, { draft: '', parameters: { ddmessage: message } }, 'downloadfiles');
  };

  test('is limited in drops and requests, with the time to wait; a refused one changes nothing', async () => {
    const actor = await limited({ dropsPerDay: 2 }, 'a@example.org', 'b@example.org');
    await send(actor, '1');
    await setReceivers(engines, actor, '', [{ email: 'a@example.org' }]);
    await dispatchDraft(engines, actor, { draft: '', parameters: {} }, 'uploadfiles');
    const refused = await send(actor, '3').then(
      () => undefined,
      (error: unknown) => error as { retryAfterSeconds: number },
    );
    expect(refused).toMatchObject({
      code: 'daily_limit',
      message: expect.stringContaining('drops and requests a day are limited to 2'),
    });
    expect(refused?.retryAfterSeconds).toBeGreaterThan(0);
    expect(refused?.retryAfterSeconds).toBeLessThanOrEqual(86_400);
    expect(await engines.store.quotas.usage(actor.accountId)).toMatchObject({ dropsToday: 2, mailsToday: 3 });
    expect(await engines.store.files.staged(actor.accountId, '')).toHaveLength(1);
    // The next day.
    await exchange.database.query('update daily_usage set day = day - 1 where account_id = $1', [actor.accountId]);
    await dispatchDraft(engines, actor, { draft: '', parameters: { ddmessage: '3' } }, 'downloadfiles');
    expect(await engines.store.quotas.usage(actor.accountId)).toMatchObject({ dropsToday: 1, mailsToday: 2 });
  });

  test('is limited in mails', async () => {
    const actor = await limited({ mailsPerDay: 3 }, 'a@example.org', 'b@example.org');
    await send(actor, '1');
    await expect(send(actor, '2')).rejects.toMatchObject({
      code: 'daily_limit',
      message: expect.stringContaining('mails a day are limited to 3'),
    });
  });

  test('is no more when it is sent all at once', async () => {
    const actor = await limited({ dropsPerDay: 3 }, 'a@example.org');
    const drafts = Array.from({ length: 8 }, (_, number) => `d${number}`);
    for (const draft of drafts) await exchange.prepare(actor, ['a@example.org'], ['a.txt'], draft);
    const results = await Promise.allSettled(
      drafts.map((draft) => dispatchDraft(engines, actor, { draft, parameters: {} }, 'downloadfiles')),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  });
});

test('an account sends only to domains that it may send to', async () => {
  const actor = await limited({ receiverDomains: ['acme.com'] }, 'a@acme.com', 'b@sub.acme.com', 'c@other.org');
  for (const email of ['b@sub.acme.com', 'c@other.org']) {
    await expect(setReceivers(engines, actor, '', [{ email: 'a@acme.com' }, { email }])).rejects.toMatchObject({
      code: 'recipient_not_allowed',
      message: expect.stringContaining(email),
    });
  }
  await exchange.prepare(actor, ['a@acme.com'], ['a.txt']);
  // The list may have changed since the receivers were set.
  await setAccountQuotas(engines, { id: actor.accountId }, { receiverDomains: ['other.org'] });
  await expect(dispatchDraft(engines, actor, { draft: '', parameters: {} }, 'downloadfiles')).rejects.toMatchObject({
    code: 'recipient_not_allowed',
  });
});

test('a dispatch has a lifetime that the account may choose', async () => {
  const actor = await limited({ lifetimes: [1, 14] }, 'a@example.org');
  await exchange.prepare(actor, ['a@example.org'], ['a.txt']);
  const send = (desttime: number) =>
    dispatchDraft(engines, actor, { draft: '', parameters: { desttime } }, 'downloadfiles');
  await expect(send(7)).rejects.toMatchObject({ code: 'invalid_input', message: 'desttime must be one of 1, 14.' });
  expect((await readPolicy(engines, actor.accountId)).lifetime.default, 'the nearest to the server’s').toBe(1);
  await setAccountQuotas(engines, { id: actor.accountId }, { lifetimes: null, minLifetime: 10, maxLifetime: 60 });
  await expect(send(9)).rejects.toMatchObject({ message: 'desttime must be a whole number from 10 to 60.' });
  expect((await readPolicy(engines, actor.accountId)).lifetime.default).toBe(10);
  await send(60);
});

describe('a group', () => {
  test('applies where the account has no value of its own, and the server’s where neither has', async () => {
    await createGroup(engines, 'sales', { maxStoredBytes: 500, dropsPerDay: 5, secondFactor: 'mail' });
    const { actor, link } = await openRequestLink(exchange);
    const group = await findGroup(engines, 'sales');
    await setAccountQuotas(engines, { id: actor.accountId }, { dropsPerDay: 7 }, group);
    expect(await readPolicy(engines, actor.accountId)).toMatchObject({
      maxStoredBytes: 500,
      dropsPerDay: 7,
      mailsPerDay: null,
      maxFileBytes: engines.policy.maxFileBytes,
    });
    const found = await engines.store.links.byToken((await readTokenDigest(actor)) as Buffer);
    expect(codeTarget(engines, { ...link, ...found })).toMatchObject({ channel: 'mail' });
    expect(await findGroup(engines, 'sales')).toMatchObject({ accountCount: 1 });
    await expect(removeGroup(engines, group)).rejects.toMatchObject({ code: 'invalid_input' });
    await setAccountQuotas(engines, { id: actor.accountId }, {}, null);
    expect(await readPolicy(engines, actor.accountId)).toMatchObject({ maxStoredBytes: null, dropsPerDay: 7 });
    await removeGroup(engines, group);
    await expect(findGroup(engines, 'sales')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('has a name that no other has', async () => {
    await createGroup(engines, 'twice', {});
    await expect(createGroup(engines, 'twice', {})).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(createGroup(engines, ' x', {})).rejects.toMatchObject({ code: 'invalid_input' });
  });

  test('cannot exclude every lifetime', async () => {
    await expect(createGroup(engines, 'never', { minLifetime: 9, maxLifetime: 8 })).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });
});

async function readTokenDigest({ accountId }: Actor): Promise<Buffer | undefined> {
  const [link] = await exchange.database.query<{ digest: Buffer }>(
    'select token_digest as digest from links where account_id = $1',
    [accountId],
  );
  return link?.digest;
}

test('a resumed upload reserves nothing twice', async () => {
  const { actor, link } = await openRequestLink(exchange);
  const id = await announceUpload(engines, link, 'a.bin', 3 * chunkBytes);
  for (let time = 1; time <= 2; time += 1) {
    const { writer, upload: found } = await takeOverUpload(engines, link, id);
    const request = { expectedBytes: chunkBytes };
    await receiveBytes(
      engines,
      contactDraftOwner(link),
      writer,
      found,
      splitIntoPieces(Buffer.alloc(chunkBytes)),
      request,
    );
    expect(await stored(actor)).toBe(time * chunkBytes);
  }
});
