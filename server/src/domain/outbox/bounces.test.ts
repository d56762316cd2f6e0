import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { fc, test as property } from '@fast-check/vitest';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { deliveryReport } from '../../../test/delivery-report.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { type SentLink, sentLink } from '../../../test/links.ts';
import { runAdmin } from '../../../test/run-admin.ts';
import { watchJob } from '../../../test/watch-operations.ts';
import { ExchangeError } from '../exchange-error.ts';
import { openLink } from '../links/open-link.ts';
import { recordDelivery } from '../links/record-delivery.ts';
import type { Mail, Mailbox, Mailer } from '../ports/mailer.ts';
import { toReference } from '../reference.ts';
import { sweep } from '../sweep.ts';
import type { MessageKind } from './outbox-store.ts';
import { maxBounceBytes, readBounces, recordBounce } from './read-bounces.ts';
import { retryMessage } from './retry-message.ts';
import { ReturnPaths } from './return-paths.ts';
import { sendMessage } from './send-message.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

/** Sends the account's waiting messages of a kind; returns the mails, whose envelopes contain their return paths. */
async function sendAll(
  { sender }: Pick<SentLink, 'sender'>,
  kind: MessageKind,
  response: 'sent' | 'refused' = 'sent',
  used: Pick<typeof engines, 'returnPaths'> = engines,
): Promise<Mail[]> {
  const mails: Mail[] = [];
  const mailer: Mailer = {
    async send(mail) {
      mails.push(mail);
      return response === 'sent'
        ? { outcome: 'sent', response: '250 ok' }
        : { outcome: 'refused', response: '550 5.1.1 no such user, see https://mx.example.net/d/secret?x' };
    },
  };
  const rows = await query<{ id: string }>(
    "select id from messages where account_id = $1 and kind = $2 and state = 'waiting'",
    [sender.accountId, kind],
  );
  for (const { id } of rows) await sendMessage({ ...engines, ...used, mailer }, sender.accountId, id);
  return mails;
}

async function sendDrop(): Promise<SentLink & { mail: Mail }> {
  const link = await sentLink(exchange, ['a.txt']);
  const [mail] = await sendAll(link, 'invitation');
  return { ...link, mail: mail as Mail };
}

const readState = async ({ sender, dropId }: SentLink) =>
  (await engines.store.drops.deliveryStates(sender.accountId, dropId, -1, 1))[0];
const reportTo = (mail: Mail, changes: object = {}) =>
  deliveryReport({ to: mail.envelopeFrom, messageId: mail.messageId, ...changes });
const readMessages = ({ dropId }: SentLink, kind: MessageKind) =>
  query<{ id: string; state: string; outcome: string }>(
    'select id, state, outcome from messages where drop_id = $1 and kind = $2',
    [dropId, kind],
  );

describe('a mail that comes back', () => {
  test('is recorded by the command that the mail server runs', async () => {
    const drop = await sendDrop();
    using input = vi.spyOn(process, 'stdin', 'get');
    input.mockReturnValue(Readable.from([reportTo(drop.mail)]) as typeof process.stdin);
    expect(await runAdmin({ engines }, 'mail', 'bounce', '--json')).toBe('{"result":"undeliverable"}\n');
  });

  test('makes its receiver undeliverable, and tells the sender once', async () => {
    const drop = await sendDrop();
    const report = reportTo(drop.mail, {
      diagnostic: 'smtp; 550 5.1.1 no such user: https://files.example.org/d/token',
    });
    const logged: unknown[] = [];
    const logging = { ...engines, logger: { ...engines.logger, warn: (...line: unknown[]) => void logged.push(line) } };
    expect(await recordBounce(logging, report)).toBe('undeliverable');
    expect(await recordBounce(logging, report)).toBe('known');
    const message = drop.mail.messageId.slice(1, 37);
    const details = { message, reference: toReference(drop.dropId), result: 'undeliverable' };
    expect(logged).toEqual([['a mail was returned', details]]);
    expect(await readState(drop)).toMatchObject({
      undeliverableAt: expect.any(Date),
      undeliverableReason: '550 5.1.1 no such user: …',
      notifiedAt: expect.any(Date),
    });
    expect(await readMessages(drop, 'invitation')).toMatchObject([
      { state: 'abandoned', outcome: expect.stringMatching(/^returned: 550 5\.1\.1 no such user/) },
    ]);
    const mails = await sendAll(drop, 'undeliverable');
    expect(mails).toMatchObject([{ to: drop.sender.email, subject: expect.stringContaining('r@example.org') }]);
    for (const said of ['no such user: …', 'a.txt', drop.sender.email]) expect(mails[0]?.text).toContain(said);
  });

  test('at once, when the mail server refuses it, does the same', async () => {
    const drop = await sentLink(exchange, ['a.txt']);
    await sendAll(drop, 'invitation', 'refused');
    expect(await readState(drop)).toMatchObject({
      undeliverableReason: '550 5.1.1 no such user, see …',
      notifiedAt: null,
    });
    expect(await sendAll(drop, 'undeliverable')).toHaveLength(1);
  });

  test('counts whatever its server says, also where it is cut within a character', async () => {
    const drop = await sendDrop();
    const diagnostic = `smtp; 550 5.1.1 x${'\u{1f600}'.repeat(300)}`;
    expect(await recordBounce(engines, reportTo(drop.mail, { diagnostic }))).toBe('undeliverable');
    const [{ data } = { data: {} }] = await query<{ data: { reason?: string } }>(
      "select data from evidence_entries where drop_id = $1 and kind = 'notification.failed'",
      [drop.dropId],
    );
    expect(data.reason).toMatch(/^550 5\.1\.1 x\u{1f600}+\ufffd$/u);
  });

  test('ends reminders, also one that waits', async () => {
    const drops = await Promise.all([sendDrop(), sendDrop()]);
    const remind = () =>
      query('update drops set remind_at = now() where id = any($1)', [drops.map(({ dropId }) => dropId)]);
    const [first, second] = drops;
    await recordBounce(engines, reportTo(first.mail));
    await remind();
    await sweep(engines);
    expect(await readMessages(first, 'reminder')).toEqual([]);
    await recordBounce(engines, reportTo(second.mail));
    expect(await sendAll(second, 'reminder')).toEqual([]);
    expect(await readMessages(second, 'reminder')).toMatchObject([{ state: 'abandoned' }]);
  });

  test('as a reminder counts as well', async () => {
    const drop = await sendDrop();
    await query('update drops set remind_at = now() where id = $1', [drop.dropId]);
    await sweep(engines);
    const [reminder] = await sendAll(drop, 'reminder');
    expect(await recordBounce(engines, reportTo(reminder as Mail))).toBe('undeliverable');
  });

  test('is deleted when an administrator has it sent again', async () => {
    const drop = await sendDrop();
    await recordBounce(engines, reportTo(drop.mail));
    const [{ id } = { id: '' }] = await readMessages(drop, 'invitation');
    await retryMessage(engines, { id: drop.sender.accountId } as never, id);
    expect(await readState(drop)).toMatchObject({ undeliverableAt: null, undeliverableReason: null });
    // The notice to the sender would no longer be true.
    expect(await sendAll(drop, 'undeliverable')).toEqual([]);
    // A copy of the old report does not apply to the new attempt.
    expect(await recordBounce(engines, reportTo(drop.mail))).toBe('known');
    const [again] = await sendAll(drop, 'invitation');
    expect(await recordBounce(engines, reportTo(again as Mail))).toBe('undeliverable');
    expect(await sendAll(drop, 'undeliverable')).toHaveLength(1);
  });

  test('after its receiver has everything is recorded only', async () => {
    const drop = await sendDrop();
    for (const file of await engines.store.links.files(drop.link)) {
      await recordDelivery(engines, drop.link, [{ file, sent: { start: 0, end: file.sizeBytes } }]);
    }
    expect(await recordBounce(engines, reportTo(drop.mail))).toBe('recorded');
    expect(await readState(drop)).toMatchObject({ undeliverableAt: null });
  });

  test('as a code, or as what the sender is told, is recorded only', async () => {
    const drop = await sendDrop();
    await openLink({ ...engines, policy: { ...engines.policy, secondFactor: 'mail' } }, drop.link);
    const [code] = await sendAll(drop, 'code');
    expect(await recordBounce(engines, reportTo(code as Mail))).toBe('recorded');
    expect(await readMessages(drop, 'code')).toMatchObject([{ state: 'abandoned' }]);
    expect(await readState(drop)).toMatchObject({ undeliverableAt: null });

    await recordBounce(engines, reportTo(drop.mail));
    const [news] = await sendAll(drop, 'undeliverable');
    expect(await recordBounce(engines, reportTo(news as Mail))).toBe('recorded');
    expect(await sendAll(drop, 'undeliverable')).toEqual([]);
  });
});

test.each(['delivered', 'relayed'])(
  'a report that a server has taken the mail (%s) is evidence, once',
  async (action) => {
    const returnPaths = new ReturnPaths('bounces@example.org', randomBytes(32), { hasMailbox: true });
    const asking = { ...engines, returnPaths };
    const drop = await sentLink(exchange, ['a.txt']);
    const [mail] = await sendAll(drop, 'invitation', 'sent', asking);
    expect(mail?.reportDelivery).toBe(true);
    const report = reportTo(mail as Mail, { action, status: '2.0.0' });
    expect(await recordBounce(asking, report)).toBe('accepted');
    expect(await recordBounce(asking, report)).toBe('known');
    const entries = await query(
      "select data from evidence_entries where drop_id = $1 and kind = 'notification.accepted'",
      [drop.dropId],
    );
    expect(entries).toEqual([{ data: { to: 'r@example.org', status: '2.0.0', server: 'mail.example.net' } }]);
    // The sender's own mails are no evidence, so no report is asked for.
    await recordBounce(asking, reportTo(mail as Mail));
    expect((await sendAll(drop, 'undeliverable', 'sent', asking))[0]?.reportDelivery).toBe(false);
  },
);

describe('nothing changes by', () => {
  let drop: Awaited<ReturnType<typeof sendDrop>>;
  let other: Awaited<ReturnType<typeof sendDrop>>;
  beforeAll(async () => {
    drop = await sendDrop();
    other = await sendDrop();
  });
  const unchanged = async () => {
    for (const each of [drop, other]) {
      expect(await readState(each)).toMatchObject({ undeliverableAt: null });
      expect(await readMessages(each, 'invitation')).toMatchObject([{ state: 'sent' }]);
      expect(await readMessages(each, 'undeliverable')).toEqual([]);
    }
  };

  test.each<[string, () => Buffer, string]>([
    ['a delay', () => reportTo(drop.mail, { action: 'delayed', status: '4.4.1' }), 'not permanent'],
    ['a failure without a status', () => reportTo(drop.mail, { status: 'failed' }), 'not permanent'],
    ['a delivery', () => reportTo(drop.mail, { action: 'delivered', status: '2.0.0' }), 'accepted'],
    ['a delivery that calls itself a failure', () => reportTo(drop.mail, { action: 'relayed' }), 'not permanent'],
    ['an automatic reply', () => reportTo(drop.mail, { contentType: 'text/plain' }), 'not a report'],
    ['a report to no message', () => reportTo(drop.mail, { to: 'bounces@example.org' }), 'not ours'],
    ['a report about another mail', () => reportTo(drop.mail, { messageId: other.mail.messageId }), 'not ours'],
    ['a report about a mail of others', () => reportTo(drop.mail, { messageId: '<x@example.net>' }), 'not ours'],
    [
      'a report to a message that is gone',
      () => reportTo(drop.mail, { to: engines.returnPaths?.toAddress(randomUUID()), messageId: undefined }),
      'not ours',
    ],
    [
      'a report of another server',
      () =>
        reportTo(drop.mail, { to: new ReturnPaths('bounces@example.org', randomBytes(32)).toAddress(randomUUID()) }),
      'not ours',
    ],
    [
      'a report that is too large',
      () => Buffer.concat([reportTo(drop.mail), Buffer.alloc(maxBounceBytes)]),
      'not a report',
    ],
  ])('%s', async (_, report, result) => {
    expect(await recordBounce(engines, report())).toBe(result);
    await unchanged();
  });

  property.prop([fc.nat(), fc.nat(51), fc.nat(15).map((value) => value.toString(16))], { numRuns: 50 })(
    'forged addresses, and reports cut off before their verdict',
    async (cut, at, digit) => {
      const address = drop.mail.envelopeFrom;
      const index = address.indexOf('+') + 1 + at;
      const forged = address.slice(0, index) + digit + address.slice(index + 1);
      if (forged !== address) await recordBounce(engines, reportTo(drop.mail, { to: forged }));
      const whole = reportTo(drop.mail);
      await recordBounce(engines, whole.subarray(0, cut % whole.indexOf('Status:')));
      await unchanged();
    },
  );
});

describe('a Maildir', () => {
  const makeMailbox = (mails: Record<string, Buffer | undefined>) => {
    const [aside, warnings] = [new Set<string>(), new Array<string>()];
    const mailbox: Mailbox = {
      list: async (count) => Object.keys(mails).slice(0, count),
      read: async (name) => mails[name],
      async remove(name) {
        delete mails[name];
      },
      async setAside(name) {
        aside.add(name);
        delete mails[name];
      },
    };
    const logger = { ...engines.logger, warn: (event: string) => void warnings.push(event) };
    return { mails, mailbox, aside, warnings, logger };
  };

  test('is read and emptied, whatever is in it', async () => {
    const drop = await sendDrop();
    const { mails, mailbox } = makeMailbox({
      junk: Buffer.from('hello'),
      large: undefined,
      report: reportTo(drop.mail),
    });
    await watchJob('read-bounces', () => readBounces(engines, mailbox));
    expect(mails).toEqual({});
    expect(await readState(drop)).toMatchObject({ undeliverableAt: expect.any(Date) });
  });

  test('keeps its mails while the database is away; what cannot be read is set aside', async () => {
    const { mails, mailbox, aside, warnings, logger } = makeMailbox({ a: Buffer.from('a'), b: Buffer.from('b') });
    const failing = (fault: Error) => ({
      ...engines,
      logger,
      async readReport(): Promise<never> {
        throw fault;
      },
    });
    await expect(readBounces(failing(new ExchangeError('unavailable')), mailbox)).rejects.toThrow();
    expect(Object.keys(mails)).toEqual(['a', 'b']);
    await readBounces(failing(new TypeError('a fault of ours')), mailbox);
    expect([mails, [...aside], warnings.length]).toEqual([{}, ['a', 'b'], 2]);
  });
});
