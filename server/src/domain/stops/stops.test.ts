import { randomBytes, randomUUID } from 'node:crypto';
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { openRequestLink, readyFile } from '../../../test/file-requests.ts';
import { type SentLink, sentLink } from '../../../test/links.ts';
import type { Account } from '../accounts/account-store.ts';
import { openLink } from '../links/open-link.ts';
import { recordDelivery } from '../links/record-delivery.ts';
import { stoppedReason } from '../outbox/abandon-message.ts';
import type { MessageKind } from '../outbox/outbox-store.ts';
import { sendMessage } from '../outbox/send-message.ts';
import type { Mail } from '../ports/mailer.ts';
import { sendFiles } from '../requests/send-files.ts';
import { SignedLinks } from '../signed-ids.ts';
import { sweep } from '../sweep.ts';
import { findCorrespondence, removeStop, reportSender, resumeMail, stopMail } from './stop-mail.ts';
import type { Correspondence } from './stop-store.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

/** Sends the account's waiting messages of a kind; returns the mails. */
async function sendAll(accountId: string, kind: MessageKind): Promise<Mail[]> {
  const mails: Mail[] = [];
  const mailer = {
    send: async (mail: Mail) => {
      mails.push(mail);
      return { outcome: 'sent' as const, response: '250 ok' };
    },
  };
  const rows = await query<{ id: string }>(
    "select id from messages where account_id = $1 and kind = $2 and state = 'waiting'",
    [accountId, kind],
  );
  for (const { id } of rows) await sendMessage({ ...engines, mailer }, accountId, id);
  return mails;
}

const tokenIn = ({ stopLink = '' }: Mail) => stopLink.slice(stopLink.lastIndexOf('/') + 1);
const found = (mail: Mail): Promise<Correspondence> => findCorrespondence(engines, tokenIn(mail));
const readState = async ({ sender, dropId }: SentLink) =>
  (await engines.store.drops.deliveryStates(sender.accountId, dropId, -1, 1))[0];
const readAudit = async (accountId: string) =>
  (
    await query<{ actor: string; action: string }>(
      "select author_kind || ' ' || author_name as actor, action from audit_entries where account_id = $1 and action ~ '^(mail|receiver|sender)[.]' order by at, id",
      [accountId],
    )
  ).map(({ actor, action }) => `${actor}: ${action}`);
const readMessages = (dropId: string, kind: MessageKind) =>
  query<{ state: string; outcome: string }>('select state, outcome from messages where drop_id = $1 and kind = $2', [
    dropId,
    kind,
  ]);

async function sendDrop(sender?: SentLink['sender']): Promise<SentLink & { mail: Mail }> {
  const link = await sentLink(exchange, ['a.txt'], ['r@example.org'], sender);
  const [mail] = await sendAll(link.sender.accountId, 'invitation');
  return { ...link, mail: mail as Mail };
}

describe('a receiver who has stopped an account', () => {
  test('gets no invitation of it any more; the sender is told once for each drop, and no link is named', async () => {
    const first = await sendDrop();
    const { accountId } = first.sender;
    await stopMail(engines, await found(first.mail));
    await stopMail(engines, await found(first.mail));
    expect(await found(first.mail)).toMatchObject({ stopped: true });
    expect(await readState(first)).toMatchObject({
      notifiedAt: expect.any(Date),
      undeliverableAt: expect.any(Date),
      undeliverableReason: stoppedReason,
    });
    const told = await sendAll(accountId, 'undeliverable');
    expect(told).toMatchObject([
      { to: first.sender.email, subject: 'r@example.org no longer wants messages from you', stopLink: undefined },
    ]);
    expect(told[0]?.text).not.toMatch(/\/[dum]\//);

    const second = await sentLink(exchange, ['b.txt'], ['r@example.org'], first.sender);
    expect(await sendAll(accountId, 'invitation')).toEqual([]);
    expect(await readMessages(second.dropId, 'invitation')).toEqual([{ state: 'abandoned', outcome: stoppedReason }]);
    expect(await readState(second)).toMatchObject({ notifiedAt: null, undeliverableReason: stoppedReason });
    expect(await sendAll(accountId, 'undeliverable')).toHaveLength(1);
    expect(await readAudit(accountId)).toEqual([
      'link receiver: mail.stopped',
      'link receiver: receiver.undeliverable',
    ]);
  });

  test('is not reminded, neither of this drop nor of others', async () => {
    const first = await sendDrop();
    const second = await sendDrop(first.sender);
    await stopMail(engines, await found(first.mail));
    await query('update drops set remind_at = now() where account_id = $1', [first.sender.accountId]);
    await sweep(engines);
    expect(await sendAll(first.sender.accountId, 'reminder')).toEqual([]);
    expect(await readMessages(first.dropId, 'reminder')).toEqual([]);
    expect(await readMessages(second.dropId, 'reminder')).toEqual([{ state: 'abandoned', outcome: stoppedReason }]);
    expect(await readState(second)).toMatchObject({ undeliverableReason: stoppedReason });
  });

  test('still gets codes, and mail of other accounts', async () => {
    const drop = await sendDrop();
    await stopMail(engines, await found(drop.mail));
    await openLink({ ...engines, policy: { ...engines.policy, secondFactor: 'mail' } }, drop.link);
    const [code] = await sendAll(drop.sender.accountId, 'code');
    expect(code).toMatchObject({ to: 'r@example.org', stopLink: undefined });
    expect(code?.text).not.toContain('/m/');
    expect((await sendDrop()).mail.to).toBe('r@example.org');
  });

  test('who has everything stays delivered', async () => {
    const drop = await sendDrop();
    for (const file of await engines.store.links.files(drop.link)) {
      await recordDelivery(engines, drop.link, [{ file, sent: { start: 0, end: file.sizeBytes } }]);
    }
    await stopMail(engines, await found(drop.mail));
    expect(await readState(drop)).toMatchObject({ undeliverableAt: null });
    expect(await sendAll(drop.sender.accountId, 'undeliverable')).toEqual([]);
  });

  test('can change their mind, and the sender is not told what is no longer true', async () => {
    const drop = await sendDrop();
    const { accountId } = drop.sender;
    await stopMail(engines, await found(drop.mail));
    await resumeMail(engines, await found(drop.mail));
    await resumeMail(engines, await found(drop.mail));
    expect(await readState(drop)).toMatchObject({ undeliverableAt: null, undeliverableReason: null });
    expect(await sendAll(accountId, 'undeliverable')).toEqual([]);
    await sendDrop(drop.sender);
    expect(await readAudit(accountId)).toEqual(['link receiver: mail.stopped', 'link receiver: mail.resumed']);
  });

  test('is listed, and can be removed, for this account alone', async () => {
    const [drop, other] = [await sendDrop(), await sendDrop()];
    await stopMail(engines, await found(drop.mail));
    const page = ({ sender }: SentLink, after = '') => engines.store.stops.page(sender.accountId, after, 10);
    expect(await page(drop)).toEqual([{ address: 'r@example.org', stoppedAt: expect.any(Date) }]);
    expect(await page(drop, 'r@example.org')).toEqual([]);
    expect(await page(other)).toEqual([]);
    const account = ({ sender }: SentLink) => ({ id: sender.accountId, email: sender.email }) as Account;
    await expect(removeStop(engines, account(other), 'r@example.org')).rejects.toMatchObject({ code: 'not_found' });
    await removeStop(engines, account(drop), 'R@Example.org');
    expect(await page(drop)).toEqual([]);
    expect(await readAudit(drop.sender.accountId)).toContain('command admin: mail.resumed');
  });
});

test('a contact can stop requests, also by the confirmation of what they sent', async () => {
  const { actor, link } = await openRequestLink(exchange);
  await readyFile(engines, link, 'a.txt', 'content');
  await sendFiles(engines, link, '');
  const [request] = await sendAll(actor.accountId, 'invitation');
  const [confirmation] = await sendAll(actor.accountId, 'confirmation');
  expect((await found(confirmation as Mail)).link).toEqual((await found(request as Mail)).link);
  await stopMail(engines, await found(confirmation as Mail));
  await openRequestLink(exchange, ['c@example.org'], actor);
  await readyFile(engines, link, 'b.txt', 'content');
  await sendFiles(engines, link, '');
  expect(await sendAll(actor.accountId, 'invitation')).toEqual([]);
  expect(await sendAll(actor.accountId, 'confirmation')).toEqual([]);
  // The account's own news are not the contact's to stop.
  expect(await sendAll(actor.accountId, 'received')).toHaveLength(2);
});

describe('a report', () => {
  test('is one mail to the operator, with who and which drop, and neither link nor message', async () => {
    const drop = await sendDrop();
    await reportSender(engines, await found(drop.mail));
    await reportSender(engines, await found(drop.mail));
    expect(await found(drop.mail)).toMatchObject({ reported: true, stopped: false });
    const mails = await sendAll(drop.sender.accountId, 'report');
    expect(mails).toMatchObject([
      { to: 'support@example.org', replyTo: 'r@example.org', from: { name: 'Acme Files' }, stopLink: undefined },
    ]);
    const { subject = '', text = '', html = '' } = mails[0] ?? {};
    expect(subject).toBe(`r@example.org has reported ${drop.sender.email}`);
    for (const part of [text, html]) {
      for (const said of [drop.sender.email, 'r@example.org', 'WB-']) expect(part).toContain(said);
      for (const unsaid of [drop.link.message, drop.token, tokenIn(drop.mail), 'a.txt']) {
        expect(part).not.toContain(unsaid);
      }
    }
    expect(await readAudit(drop.sender.accountId)).toEqual(['link receiver: sender.reported']);
  });

  test('that is one too many is not sent, and can be made later', async () => {
    const drop = await sendDrop();
    const taken: unknown[] = [];
    const full = { acquire: async (...what: unknown[]) => taken.push(what) };
    const attempt = reportSender({ ...engines, messageLimit: full }, await found(drop.mail));
    await expect(attempt).rejects.toMatchObject({ code: 'too_many_messages' });
    // Not what counts the account's own messages.
    expect(taken).toEqual([[`reports of ${drop.sender.accountId}`, ['support@example.org']]]);
    expect(await found(drop.mail)).toMatchObject({ reported: false });
  });

  test('has nowhere to go where the operator has no address', async () => {
    const policy = { ...engines.policy, supportAddress: undefined };
    const attempt = reportSender({ ...engines, policy }, await found((await sendDrop()).mail));
    await expect(attempt).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a stop link', () => {
  test('is in neither database nor queue, still works when the drop has ended, and opens nothing else', async () => {
    const drop = await sendDrop();
    const token = tokenIn(drop.mail);
    await query('update drops set ended_at = now(), expires_at = now(), link_key = null where id = $1', [drop.dropId]);
    expect(await found(drop.mail)).toMatchObject({ sender: drop.sender.email, address: 'r@example.org' });
    const rows = await query<{ row: string }>(
      'select messages::text as row from messages union all select links::text from links union all select payload::text from graphile_worker._private_jobs',
    );
    expect(rows.length).toBeGreaterThan(1);
    for (const { row } of rows) {
      expect(row).not.toContain(token);
      expect(row).not.toContain(Buffer.from(token, 'base64url').toString('hex').slice(32));
    }
  });

  test('of a message that cannot be stopped, or of none, is not found', async () => {
    const drop = await sendDrop();
    await stopMail(engines, await found(drop.mail));
    const [notice] = await query<{ id: string }>(
      "select id from messages where drop_id = $1 and kind = 'undeliverable'",
      [drop.dropId],
    );
    for (const id of [notice?.id ?? '', randomUUID()]) {
      const token = engines.stopLinks.toUrl(id).split('/m/')[1] ?? '';
      await expect(findCorrespondence(engines, token)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  const makeLinks = () => new SignedLinks(randomBytes(32), 'links', 'https://files.example.org/m/');
  const links = makeLinks();
  const readToken = (id: string) => links.toUrl(id).replace('https://files.example.org/m/', '');
  property.prop([fc.uuid(), fc.nat(41), fc.constantFrom('A', 'z', '0', '_', '-')])(
    'is recognised, and with one character changed it is nobody’s',
    (id, at, character) => {
      const token = readToken(id);
      expect(token).toMatch(/^[\w-]{43}$/);
      expect(links.findId(token)).toBe(id);
      const forged = token.slice(0, at) + character + token.slice(at + 1);
      if (forged !== token) expect(links.findId(forged)).toBeUndefined();
      expect(makeLinks().findId(token)).toBeUndefined();
    },
  );
});
