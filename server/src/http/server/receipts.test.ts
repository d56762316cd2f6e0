import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { parsePolicy, verifyReceipt } from '@waybill/evidence';
import { describe, expect, test, vi } from 'vitest';
import { AppBrowser } from '../../../test/app-browser.ts';
import { deriveToken } from '../../../test/links.ts';
import { memoryMailer } from '../../../test/memory/memory-mailer.ts';
import { requestV1 } from '../../../test/request-v1.ts';
import { testHost } from '../../../test/server.ts';
import { signInMember } from '../../../test/sign-in-member.ts';
import { useTestServer } from '../../../test/use-test-server.ts';
import { setAccountChoices } from '../../domain/accounts/set-account-choices.ts';
import { systemAuthor } from '../../domain/audit/author.ts';
import { serverAccountId } from '../../domain/audit/record.ts';
import { revokeDrop } from '../../domain/drops/revoke-drop.ts';
import { makeLogPolicy } from '../../domain/evidence/public-log.ts';
import { Sequencer } from '../../domain/evidence/sequencer.ts';
import { sendMessage } from '../../domain/outbox/send-message.ts';
import { toReference } from '../../domain/reference.ts';
import { sweep } from '../../domain/sweep.ts';

const { exchange, app } = await useTestServer();
const { engines, database } = exchange;
const sequencer = new Sequencer(engines);
const live = new AbortController().signal;

/** Logs what happened, as `work` does once a second. */
async function sequence(): Promise<void> {
  let isMore = true;
  while (isMore) isMore = await sequencer.step(live);
}
const verify = async (bytes: Uint8Array) => verifyReceipt(bytes, parsePolicy(await makeLogPolicy(engines)));

type Sender = Awaited<ReturnType<typeof exchange.account>>;

async function send() {
  const receivers = ['anna@example.com', 'bo@example.com'];
  const sender = await exchange.account(...receivers);
  const dropId = await exchange.drop(sender, receivers, ['a.txt', 'b.txt']);
  await sequence();
  return { sender, dropId };
}

const ask = (sender: Sender, dropId: string, file = '0/receipt.json') =>
  requestV1(app, 'GET', `/drops/${dropId}/receivers/${file}`, { key: sender.apiKey });

/** Opens the link of a receiver as a person does. */
async function openLink(sender: Sender, dropId: string, receiver = 0) {
  const browser = new AppBrowser(app, engines.policy.publicUrl);
  const token = await deriveToken(exchange, sender, dropId, receiver);
  const opened = await browser.post(`/d/${token}`, { gesture: 'pressed' });
  return { browser, page: String(opened.headers.location) };
}

/** Uses a real connection: a download counts when its bytes were sent. */
async function downloadAll({ browser, page }: Awaited<ReturnType<typeof openLink>>): Promise<void> {
  const { body } = await browser.get(page);
  const hrefs = new Set(Array.from(body.matchAll(/href="(files\/[^"]+)"/g), ([, href]) => href));
  expect(hrefs.size).toBe(2);
  if (!app.server.listening) await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const cookie = [...browser.cookies].map((pair) => pair.join('=')).join('; ');
  for (const href of hrefs) {
    const address = { host: '127.0.0.1', port, path: `${page}${href}`, agent: false };
    const outgoing = request({ ...address, headers: { host: testHost, cookie } }).end();
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    await buffer(response);
  }
  await vi.waitFor(async () => {
    const { json } = await browser.get(`${page}delivered`);
    expect(json()).toHaveLength(2);
  });
}

describe('a receipt of /api/v1', () => {
  test('proves everything that happened until it was requested, as JSON and as PDF', async () => {
    const { sender, dropId } = await send();
    await downloadAll(await openLink(sender, dropId));
    await sequence();
    for (const format of ['json', 'pdf']) {
      const { status, headers, bytes } = await ask(sender, dropId, `0/receipt.${format}`);
      expect(status).toBe(200);
      expect(headers['content-type']).toMatch(new RegExp(`^application/${format}`));
      expect(headers['content-disposition']).toMatch(new RegExp(`attachment; filename=WB-.*-receipt-1\\.${format}$`));
      expect(await verify(bytes)).toMatchObject({
        isValid: true,
        facts: {
          drop: dropId,
          receiver: 0,
          submission: { sender: { address: sender.email }, receivers: 2 },
          consignments: [{ address: 'anna@example.com' }],
          openedLinks: [{}],
          files: [
            { name: 'a.txt', handovers: [{ via: 'link' }] },
            { name: 'b.txt', handovers: [{ via: 'link' }] },
          ],
        },
      });
    }
  });

  test('names no other receiver', async () => {
    const { sender, dropId } = await send();
    await downloadAll(await openLink(sender, dropId, 1));
    await sequence();
    const { text } = await ask(sender, dropId);
    expect(text).toContain('anna@example.com');
    expect(text).not.toContain('bo@example.com');
    expect(text).not.toContain('content.handed_over');
  });

  test('is not for another account, a key without the scope, or a receiver that does not exist', async () => {
    const { sender, dropId } = await send();
    expect((await ask(await exchange.account(), dropId)).status).toBe(404);
    expect((await ask(sender, dropId, '2/receipt.json')).status).toBe(404);
    expect((await requestV1(app, 'GET', `/drops/${dropId}/receivers/0/receipt.pdf`)).status).toBe(401);
    const asRequest = `/requests/${dropId}/receivers/0/receipt.json`;
    expect((await requestV1(app, 'GET', asRequest, { key: sender.apiKey })).status).toBe(404);
    await database.query(`update api_keys set scopes = '{contacts}' where account_id = $1`, [sender.accountId]);
    expect((await ask(sender, dropId)).status).toBe(403);
  });

  test('waits for the log rather than leave an event out', async () => {
    const { sender, dropId } = await send();
    await openLink(sender, dropId);
    const asked = ask(sender, dropId);
    await sequence();
    const { status, text } = await asked;
    expect(status).toBe(200);
    expect(text).toContain('link.opened');
  });

  test('is refused for a while if the log stands still', async () => {
    const { sender, dropId } = await send();
    await openLink(sender, dropId);
    const { status, headers, json } = await ask(sender, dropId);
    expect(status).toBe(503);
    expect(json()).toMatchObject({ code: 'receipt_not_ready' });
    expect(headers['retry-after']).toBe('2');
    await sequence();
  });

  test('still verifies after the drop was revoked, its key destroyed and its events erased', async () => {
    const { sender, dropId } = await send();
    await downloadAll(await openLink(sender, dropId));
    await sequence();
    const stored = await ask(sender, dropId, '0/receipt.pdf');
    await revokeDrop(engines, { id: sender.accountId, email: sender.email }, dropId, systemAuthor('sweep'));
    await sequence();
    const [ended] = await database.query<{ day: string }>(
      `select data ->> 'key_day' as day from evidence_entries where drop_id = $1 and kind = 'drop.revoked'`,
      [dropId],
    );
    await engines.store.evidence.append([
      { accountId: serverAccountId, kind: 'key.destroyed', data: { day: String(ended?.day) } },
    ]);
    await sequence();
    expect(await verify((await ask(sender, dropId)).bytes)).toMatchObject({
      isValid: true,
      facts: { end: { kind: 'revoked' }, keyDestroyedAt: expect.any(String) },
    });
    await database.query('update evidence_entries set data = null, salt = null where drop_id = $1', [dropId]);
    await database.query('delete from files where drop_id = $1', [dropId]);
    const { status, json } = await ask(sender, dropId);
    expect([status, json().code]).toEqual([410, 'receipt_unavailable']);
    expect(await verify(stored.bytes)).toMatchObject({ isValid: true, facts: { files: [{}, {}] } });
  });
});

describe('by the reference, once the rows of the drop are purged', () => {
  const list = (sender: Sender, query: string) => requestV1(app, 'GET', `/receipts?${query}`, { key: sender.apiKey });

  /** Ends a drop, and purges it as the sweep does when it is old enough. */
  async function purge(sender: Sender, dropId: string): Promise<void> {
    await revokeDrop(engines, { id: sender.accountId, email: sender.email }, dropId, systemAuthor('sweep'));
    await database.query(`update messages set state = 'sent', settled_at = now() where drop_id = $1`, [dropId]);
    // Its files are deleted first.
    await sweep(engines);
    await database.query(`update drops set ended_at = now() - interval '9 years' where id = $1`, [dropId]);
    const keepSeconds = { ...engines.policy.keepSeconds, history: 86_400 };
    await sweep({ ...engines, policy: { ...engines.policy, keepSeconds } });
    expect(await database.query('select from drops where id = $1', [dropId])).toEqual([]);
    await sequence();
  }

  test('/api/v1 lists the receivers, page by page, and their receipts can be made', async () => {
    const { sender, dropId } = await send();
    const reference = toReference(dropId);
    await purge(sender, dropId);
    const anna = { type: 'drop', id: dropId, receiver_id: 0, email: 'anna@example.com' };
    const bo = { ...anna, receiver_id: 1, email: 'bo@example.com' };
    for (const name of [reference, reference.toLowerCase().replaceAll('-', ''), dropId]) {
      const { status, json } = await list(sender, `reference=${name}`);
      expect([status, json()]).toMatchObject([200, { data: [anna, bo], next_cursor: null }]);
    }
    expect((await list(sender, `reference=${reference}&receiver_email=BO@example.com`)).json()).toMatchObject({
      data: [bo],
    });
    const first = (await list(sender, `reference=${reference}&limit=1`)).json();
    expect(first).toMatchObject({ data: [anna] });
    const next = await list(sender, `reference=${reference}&limit=1&cursor=${first.next_cursor}`);
    expect(next.json()).toMatchObject({ data: [bo], next_cursor: null });
    expect(await verify((await ask(sender, dropId, '1/receipt.json')).bytes)).toMatchObject({ isValid: true });

    expect((await list(await exchange.account(), `reference=${reference}`)).json()).toMatchObject({ data: [] });
    expect((await list(sender, 'reference=WB-7F3K')).json()).toMatchObject({ code: 'invalid_input' });
    await database.query('update evidence_entries set data = null, salt = null where drop_id = $1 and position = 0', [
      dropId,
    ]);
    expect((await list(sender, `reference=${reference}`)).json()).toMatchObject({ data: [bo] });
  });

  test('a reader of the account finds them by searching the list', async () => {
    const { sender, dropId } = await send();
    const { browser, base } = await signInMember(exchange, app, 'reader', sender);
    const search = async () => (await browser.get(`${base}sent?q=${toReference(dropId)}`)).body;
    const path = `${base}sent/${dropId}/receivers/1/receipt`;
    expect(await search()).not.toContain(path);
    await purge(sender, dropId);
    expect(await search()).toContain(`href="${path}.pdf"`);
    expect((await browser.get(`${base}requests?q=${toReference(dropId)}`)).body).not.toContain(dropId);
    const { rawPayload, statusCode } = await browser.get(`${path}.json`);
    expect(statusCode).toBe(200);
    expect(await verify(rawPayload)).toMatchObject({ isValid: true, facts: { receiver: 1 } });
    const stranger = await signInMember(exchange, app);
    expect((await stranger.browser.get(`${stranger.base}sent?q=${toReference(dropId)}`)).body).not.toContain(dropId);
    expect((await stranger.browser.get(`${path.replace(base, stranger.base)}.json`)).statusCode).toBe(404);
  });
});

describe('on pages', () => {
  test('a reader of the account gets it from the page of the delivery, and no other person does', async () => {
    const { sender, dropId } = await send();
    const { browser, base } = await signInMember(exchange, app, 'reader', sender);
    const { body } = await browser.get(`${base}sent/${dropId}`);
    const path = `${base}sent/${dropId}/receivers/1/receipt`;
    expect(body).toContain(`href="${path}.pdf"`);
    expect(await verify((await browser.get(`${path}.pdf`)).rawPayload)).toMatchObject({
      isValid: true,
      facts: { receiver: 1 },
    });
    const stranger = await signInMember(exchange, app);
    expect((await stranger.browser.get(`${path}.json`)).statusCode).toBe(404);
    expect((await stranger.browser.get(`${stranger.base}sent/${dropId}/receivers/1/receipt.json`)).statusCode).toBe(
      404,
    );
  });

  test('a receiver gets their own, before and after the download, and only with the session', async () => {
    const { sender, dropId } = await send();
    const opened = await openLink(sender, dropId, 1);
    await sequence();
    const { body } = await opened.browser.get(opened.page);
    expect(body).toContain('href="receipt.pdf"');
    const before = await opened.browser.get(`${opened.page}receipt.json`);
    expect(await verify(before.rawPayload)).toMatchObject({ isValid: true, facts: { receiver: 1 } });
    await downloadAll(opened);
    await sequence();
    const { rawPayload } = await opened.browser.get(`${opened.page}receipt.pdf`);
    expect(await verify(rawPayload)).toMatchObject({ facts: { files: [{ handovers: [{}] }, { handovers: [{}] }] } });
    expect(before.body).not.toContain('anna@example.com');
    const other = new AppBrowser(app, engines.policy.publicUrl);
    expect((await other.get(`${opened.page}receipt.json`)).statusCode).toBe(404);
  });
});

describe('the receipt mail', () => {
  async function sendReceiptMail(attachReceipts: boolean) {
    const { sender, dropId } = await send();
    await setAccountChoices(engines, systemAuthor('sweep'), { id: sender.accountId }, { attachReceipts });
    await downloadAll(await openLink(sender, dropId));
    await sequence();
    const [message] = await database.query<{ id: string }>(
      `select id from messages where drop_id = $1 and kind = 'receipt'`,
      [dropId],
    );
    const mailer = memoryMailer();
    await sendMessage({ ...engines, mailer }, sender.accountId, String(message?.id));
    return mailer.sent;
  }

  test('carries the receipt if the account wants that', async () => {
    const [mail] = await sendReceiptMail(true);
    expect(mail?.attachments).toMatchObject([{ mediaType: 'application/pdf' }]);
    expect(await verify(mail?.attachments?.[0]?.content ?? Buffer.alloc(0))).toMatchObject({ isValid: true });
  });

  test('carries nothing by default', async () => {
    expect(await sendReceiptMail(false)).toMatchObject([{ attachments: [] }]);
  });
});
