import { afterAll, describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { type SentLink, sentLink } from '../../../test/links.ts';
import { buildTestServer, testHost as host, postForm } from '../../../test/server.ts';
import { revokeDrop } from '../../domain/drops/revoke-drop.ts';
import { sendMessage } from '../../domain/outbox/send-message.ts';
import type { Mail } from '../../domain/ports/mailer.ts';

const exchange = await useTestExchange();
const app = buildTestServer(exchange);
afterAll(() => app.close());

const get = (url: string, headers = {}) => app.inject({ url, headers: { host, ...headers } });
const post = (url: string, payload: string, headers = {}) => postForm(app, url, payload, headers);
const press = (url: string, headers = {}) => post(url, 'gesture=pressed', headers);

/** Makes this share of the link's lifetime pass. */
const age = ({ dropId }: SentLink, share: number) =>
  exchange.database.query(
    `update drops set created_at = now() - ${share} * interval '100 hours', expires_at = now() + ${1 - share} * interval '100 hours' where id = $1`,
    [dropId],
  );

const revoke = ({ sender, dropId }: SentLink) =>
  revokeDrop(exchange.engines, { ...sender, id: sender.accountId }, dropId, exchange.engines.administrator);

/** Reads the mails to the sender about this drop. */
async function mailsToSender({ dropId, sender }: SentLink): Promise<Mail[]> {
  const sent: Mail[] = [];
  const mailer = {
    send: async (mail: Mail) => {
      sent.push(mail);
      return { outcome: 'sent' as const, response: '250 ok' };
    },
  };
  const messages = await exchange.database.query<{ id: string }>(
    "select id from messages where drop_id = $1 and kind in ('more_time', 'send_again')",
    [dropId],
  );
  for (const { id } of messages) await sendMessage({ ...exchange.engines, mailer }, sender.accountId, id);
  return sent;
}

/** Opens the link as a person would, and returns the path of its page. */
async function openTestLink(sent: SentLink) {
  const response = await press(`/d/${sent.token}`);
  const cookie = String(response.headers['set-cookie']).split(';', 1)[0] as string;
  return { url: String(response.headers.location), headers: { cookie } };
}

describe('a link that has expired', () => {
  test('names the sender, who can be asked once to send the files again', async () => {
    const sent = await sentLink(exchange, ['a.txt']);
    await age(sent, 1.1);
    const page = await get(`/d/${sent.token}`);
    expect(page.statusCode).toBe(410);
    expect(page.body).toContain(sent.sender.email);
    expect(page.body).toMatch(/WB-[0-9A-Z]{4}-[0-9A-Z]{4}/);
    expect(page.body).toContain(`action="/d/${sent.token}/ask"`);

    for (let time = 0; time < 2; time += 1) {
      const response = await press(`/d/${sent.token}/ask`);
      expect(response.statusCode).toBe(303);
      expect(response.headers.location).toBe(`/d/${sent.token}`);
    }
    const after = await get(`/d/${sent.token}`);
    expect(after.body).toContain(`You have asked ${sent.link.senderName} for a new link.`);
    expect(after.body).not.toContain('/ask"');
    const mails = await mailsToSender(sent);
    expect(mails).toMatchObject([
      {
        to: sent.sender.email,
        replyTo: sent.link.receiver,
        subject: expect.stringContaining('is asking you for a new link'),
      },
    ]);
    expect(mails[0]?.text).toMatch(/Reference: WB-/);
  });

  test('can ask for a new one, once, if the sender ended it', async () => {
    const sent = await sentLink(exchange, ['a.txt']);
    await revoke(sent);
    const page = await get(`/d/${sent.token}`);
    expect(page.body).toContain('has been disabled');
    expect(page.body).toContain('They decide whether you get a new link.');

    for (let time = 0; time < 2; time += 1) {
      expect((await press(`/d/${sent.token}/ask`)).headers.location).toBe(`/d/${sent.token}`);
    }
    const mails = await mailsToSender(sent);
    expect(mails).toHaveLength(1);
    expect(mails[0]?.text).toContain('You disabled their link.');
    expect((await get(`/d/${sent.token}`)).body).toContain(`You have asked ${sent.link.senderName} for a new link.`);
  });

  test('does not ask an account that is disabled, where nobody would read it', async () => {
    const sent = await sentLink(exchange, ['a.txt']);
    await revoke(sent);
    await exchange.database.query('update accounts set disabled_at = now() where id = $1', [sent.sender.accountId]);
    expect((await get(`/d/${sent.token}`)).body).not.toContain('/ask"');
    expect((await press(`/d/${sent.token}/ask`)).statusCode).toBe(404);
    expect(await mailsToSender(sent)).toEqual([]);
  });

  test.each([
    ['a scanner that posts forms', 'gesture=script', {}],
    ['a form of another site', 'gesture=pressed', { 'sec-fetch-site': 'cross-site' }],
  ])('sends no question for %s', async (_who, payload, headers) => {
    const sent = await sentLink(exchange, ['a.txt']);
    await age(sent, 1.1);
    await post(`/d/${sent.token}/ask`, payload, headers);
    expect(await mailsToSender(sent)).toEqual([]);
  });
});

test('asks for a word if the browser cannot show that a person pressed the button', async () => {
  const sent = await sentLink(exchange, ['a.txt']);
  await age(sent, 1.1);
  const asked = await post(`/d/${sent.token}/ask`, 'gesture=');
  expect(asked.body).toContain('Confirm that it’s you');
  expect(await mailsToSender(sent)).toEqual([]);
  expect((await post(`/d/${sent.token}/ask`, 'word=open')).statusCode).toBe(303);
  expect(await mailsToSender(sent)).toHaveLength(1);
});

describe('a link that still works', () => {
  test('offers to ask for more time in its last quarter, once', async () => {
    const sent = await sentLink(exchange, ['a.txt']);
    const { url, headers } = await openTestLink(sent);
    await age(sent, 0.7);
    expect((await get(url, headers)).body).not.toContain(`Ask ${sent.link.senderName} for more time`);
    expect((await press(`${url}ask`, headers)).statusCode).toBe(404);

    await age(sent, 0.8);
    expect((await get(url, headers)).body).toContain(`Ask ${sent.link.senderName} for more time`);
    expect((await press(`${url}ask`, headers)).headers.location).toBe(url);
    await press(`${url}ask`, headers);
    expect((await get(url, headers)).body).toContain(`You have asked ${sent.link.senderName} for more time.`);
    expect(await mailsToSender(sent)).toMatchObject([{ subject: expect.stringContaining('is asking for more time') }]);

    // One question does not prevent the other.
    await age(sent, 1.1);
    expect((await get(url, headers)).body).toContain(`Ask ${sent.link.senderName} for a new link`);
  });
});
