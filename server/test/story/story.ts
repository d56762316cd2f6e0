import { once } from 'node:events';
import { createAccount } from '../../src/domain/accounts/change-account.ts';
import { setAccountChoices } from '../../src/domain/accounts/set-account-choices.ts';
import { Sequencer } from '../../src/domain/evidence/sequencer.ts';
import { findLink } from '../../src/domain/links/find-link.ts';
import { openLink } from '../../src/domain/links/open-link.ts';
import { recordDelivery } from '../../src/domain/links/record-delivery.ts';
import type { Policy } from '../../src/domain/policy.ts';
import { sendFiles } from '../../src/domain/requests/send-files.ts';
import { checkUpload } from '../../src/domain/uploads/check-upload.ts';
import { EventStreamReader } from '../event-stream.ts';
import { openTestExchange, testPolicy } from '../exchange.ts';
import { readyFile } from '../file-requests.ts';
import { advanceQueue } from '../inbox.ts';
import { deriveToken } from '../links.ts';
import { memoryMailer } from '../memory/memory-mailer.ts';
import { runJob } from '../run-job.ts';
import { buildTestServer } from '../server.ts';
import { startReceiver } from '../servers/webhook-receiver.ts';
import { Recorder } from './recorder.ts';

const policy: Policy = { ...testPolicy, scan: 'required', inboxAttempts: 2 };
const quotas = { maxStoredBytes: 4_000_000_000, dropsPerDay: 100, mailsPerDay: 500 };
const report = Buffer.from('%PDF-1.7\n% The drawings of May.\n'.padEnd(184_320, ' '));
const invoice = Buffer.from('%PDF-1.7\n% Invoice 2030-05.\n'.padEnd(52_480, ' '));
const week = 604_800;

/**
 * Lives through one story on a running server, and returns the examples of the reference: an account sends a report to Anna
 * and Bo, asks Anna for invoices, works on its inbox, and follows all this by events and a webhook.
 */
export async function recordStory() {
  await using exchange = await openTestExchange();
  Object.assign(exchange.engines, { policy });
  const { engines, database } = exchange;
  const app = buildTestServer(exchange);
  await using receiver = await startReceiver();
  const story = new Recorder(app);
  const { names } = story;
  names.add(receiver.url, 'https://example.org/waybill');
  names.beginChapter(8);
  names.begin('account');
  const created = await createAccount(engines, { email: 'orders@example.org', phone: '46700000001', type: 'api' });
  const { accountId, key } = { accountId: created.account.id, key: created.apiKey };
  const actor = { accountId, email: created.account.email, author: engines.administrator };
  await setAccountChoices(engines, actor.author, created.account, { displayName: 'Acme Orders' });
  await engines.store.quotas.setForAccount(accountId, quotas);
  names.begin('key');

  const mailer = memoryMailer();
  const sendMails = async () => {
    names.begin('mails');
    const waiting = "select id, account_id from messages where state = 'waiting' order by id";
    for (const { id, account_id } of await database.query<{ id: string; account_id: string }>(waiting)) {
      await runJob({ ...engines, mailer }, 'send-message', { accountId: account_id, messageId: id });
    }
  };
  const readEvents = async (count: number) => {
    for (;;) {
      const { data } = (await story.ask('GET', '/events', { key })).json();
      if (data.length >= count) return data as { id: string; type: string }[];
    }
  };
  const sequence = async () => {
    const sequencer = new Sequencer(engines);
    while (await sequencer.step(new AbortController().signal));
    await sequencer.stop();
  };
  const findReceiver = async (dropId: string, position: number, type: 'downloadfiles' | 'uploadfiles') =>
    findLink(engines, await deriveToken(exchange, actor, dropId, position), type);

  // A key of its own for a program, and the address book.
  names.beginChapter(9);
  const { id: keyId, api_key: nightly } = (
    await story.record('POST', '/keys', {
      key,
      body: {
        name: 'nightly upload',
        scopes: ['send', 'history'],
        networks: ['192.0.2.0/24'],
        expires_at: '2100-01-01T00:00:00Z',
      },
    })
  ).json();
  await story.record('GET', '/keys', { key });
  const anna = { name: 'Anna Berg', phone: '46701234567', language: 'sv', groups: ['press'] };
  await story.ask('PUT', '/contacts/anna@example.org', { key, body: { name: 'Anna' } });
  await story.record('PUT', '/contacts/anna@example.org', { key, body: anna });
  await story.record('GET', '/contacts/anna@example.org', { key });
  const contacts = {
    contacts: [{ email: 'anna@example.org', groups: ['press', 'plant 2'] }, { email: 'bo@example.org' }],
  };
  await story.record('POST', '/contacts/import/check', { key, body: contacts });
  await story.record('POST', '/contacts/import', { key, body: contacts });
  await story.record('GET', '/contacts', { key });

  const webhook = (
    await story.record('POST', '/webhooks', {
      key,
      body: { url: receiver.url, types: ['drop.completed', 'inbox.received'], description: 'archive' },
    })
  ).json();
  const deliver = () => runJob(engines, 'deliver-events', { accountId, webhookId: webhook.id });
  await story.record('GET', `/webhooks/${webhook.id}`, { key });
  await story.record('GET', '/webhooks', { key });

  // A file in one request, and one in parts.
  names.beginChapter(10);
  const upload = (
    await story.record('POST', '/uploads', {
      key: nightly,
      body: report,
      headers: {
        'content-type': 'application/pdf',
        'content-disposition': 'attachment; filename="drawings/may/report.pdf"',
      },
    })
  ).json();
  await story.record('GET', `/uploads/${upload.id}`, { key: nightly });
  await story.record('GET', '/uploads?state=ready', { key: nightly });
  const tus = { 'tus-resumable': '1.0.0' };
  await story.record('OPTIONS', '/uploads', { key: nightly, headers: tus });
  const announced = {
    ...tus,
    'upload-length': String(report.length),
    'upload-metadata': `filename ${btoa('film.mov')}`,
  };
  const begun = await story.ask('POST', '/uploads', { key: nightly, headers: announced });
  const film = String(begun.headers['location']).replace(/^.*\/api\/v1/, '');
  await story.record('HEAD', film, { key: nightly, headers: tus });
  await story.record('PATCH', film, {
    key: nightly,
    body: report,
    headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
  });
  await story.record('DELETE', film, { key: nightly });

  // A drop for Anna, and for Bo until his link is revoked.
  names.beginChapter(11);
  const drop = {
    uploads: [upload.id],
    receivers: [{ email: 'anna@example.org', name: 'Anna Berg' }],
    message: 'The drawings of May.',
    expires_in: week,
    external_id: 'order-4711',
    metadata: { project: 'northern bridge' },
  };
  await story.record('POST', '/drops/check', { key: nightly, body: drop });
  await story.record('POST', '/drops', {
    name: 'problem',
    status: 400,
    key: nightly,
    body: { ...drop, receivers: [...drop.receivers, { email: 'bo@example' }] },
  });
  const { id: dropId } = (await story.record('POST', '/drops', { key: nightly, body: drop })).json();
  await sendMails();
  await story.record('POST', `/drops/${dropId}/remind`, { key: nightly });
  await story.record('POST', `/drops/${dropId}/receivers`, { key: nightly, body: { email: 'bo@example.org' } });
  await sendMails();
  await story.record('POST', `/drops/${dropId}/receivers/1/resend`, { key: nightly });
  await sendMails();
  await story.record('POST', `/drops/${dropId}/receivers/1/revoke`, { key: nightly });
  const link = await findReceiver(dropId, 0, 'downloadfiles');
  names.begin('Anna opens her link');
  await openLink(engines, link);
  names.begin('Anna downloads the report');
  for (const file of await engines.store.links.files(link)) {
    await recordDelivery(engines, link, [{ file, sent: { start: 0, end: file.sizeBytes } }]);
  }
  await sendMails();
  await sequence();
  const { files: sentFiles } = (await story.record('GET', `/drops/${dropId}`, { key: nightly })).json();
  for (const method of ['HEAD', 'GET'] as const) {
    await story.record(method, `/drops/${dropId}/files/${sentFiles[0].id}`, { key: nightly });
    await story.record(method, `/drops/${dropId}/all.zip`, { key: nightly });
  }
  await story.record('GET', '/drops?state=live', { key: nightly });
  await story.record('GET', '/receipts?reference=' + dropId, { key: nightly });
  await story.record('GET', `/drops/${dropId}/receivers/0/receipt.pdf`, { key: nightly });
  await story.record('GET', `/drops/${dropId}/receivers/0/receipt.json`, { key: nightly });
  await story.record('POST', `/drops/${dropId}/extend`, { key: nightly, body: { expires_in: 2 * week } });

  // A request to Anna, who sends two invoices.
  names.beginChapter(13);
  const request = {
    receivers: [{ email: 'anna@example.org', name: 'Anna Berg', language: 'sv' }],
    title: 'Invoices of May',
    message: 'Please send the invoices of May.',
    wanted_files: [{ name: 'Invoice of May', note: 'As PDF' }, { name: 'Delivery note' }],
    expires_in: week,
    reusable: true,
  };
  await story.record('POST', '/requests/check', { key, body: request });
  const { id: requestId } = (await story.record('POST', '/requests', { key, body: request })).json();
  await sendMails();
  await story.record('POST', `/requests/${requestId}/remind`, { key });
  await story.record('POST', `/requests/${requestId}/receivers`, { key, body: { email: 'bo@example.org' } });
  await sendMails();
  await story.record('POST', `/requests/${requestId}/receivers/1/resend`, { key });
  await sendMails();
  names.begin('Anna opens her link');
  const asked = await findReceiver(requestId, 0, 'uploadfiles');
  await openLink(engines, asked);
  for (const message of ['The invoice of May.', 'And the corrected one.']) {
    names.begin('Anna sends an invoice');
    await readyFile(engines, asked, 'invoice.pdf', invoice);
    await sendFiles(engines, asked, message);
  }
  await sendMails();
  await sequence();
  await story.record('GET', `/requests/${requestId}`, { key });
  await story.record('GET', '/requests?state=live', { key });
  await story.record('GET', `/requests/${requestId}/receivers/0/receipt.pdf`, { key });
  await story.record('GET', `/requests/${requestId}/receivers/0/receipt.json`, { key });

  // A program with Anna's link downloads, and one with the link of Bo, who is asked for a code, sends.
  names.beginChapter(12);
  const openByProgram = { body: { secret: await deriveToken(exchange, actor, dropId, 0), kind: 'download' } };
  const download = { key: String((await story.ask('POST', '/link/open', openByProgram)).json().session) };
  const { files } = (await story.record('GET', '/link/drop', download)).json();
  for (const method of ['HEAD', 'GET'] as const) {
    await story.record(method, `/link/files/${files[0].id}`, download);
    await story.record(method, '/link/all.zip', download);
  }
  await sequence();
  await story.record('GET', '/link/receipt.pdf', download);
  await story.record('GET', '/link/receipt.json', download);
  const secured = {
    receivers: [{ email: 'bo@example.org' }],
    message: 'The site plan, please.',
    second_factor: 'mail',
    passphrase: 'copper lantern drift 42',
  };
  const { id: securedId } = (await story.ask('POST', '/requests', { key, body: secured })).json();
  const secret = await deriveToken(exchange, actor, securedId, 0);
  names.add(secret, 'hIXk0Q2Jr8vYt4mZ1cN7aEw5LbPfS9dUoG3xRjKyTqA');
  const contact = {
    key: String((await story.record('POST', '/link/open', { body: { secret, kind: 'upload' } })).json().session),
  };
  await story.record('GET', '/link', contact);
  await story.record('POST', '/link/passphrase', { ...contact, body: { passphrase: secured.passphrase } });
  await story.record('POST', '/link/code/send', contact);
  await sendMails();
  const [code = ''] = mailer.sent.at(-1)?.text.match(/\b\d{3} ?\d{3}\b/) ?? [];
  names.add(code, '123456');
  await story.record('POST', '/link/code', { ...contact, body: { code } });
  await story.record('GET', '/link/request', contact);
  await story.record('OPTIONS', '/link/uploads', { ...contact, headers: tus });
  const plan = { ...tus, 'upload-length': String(invoice.length), 'upload-metadata': `filename ${btoa('plan.pdf')}` };
  const place = async () => {
    const begin = 'createLinkUpload' in story.examples ? story.ask.bind(story) : story.record.bind(story);
    const { headers } = await begin('POST', '/link/uploads', { ...contact, headers: plan });
    return String(headers['location']).replace(/^.*\/api\/v1/, '');
  };
  await story.record('DELETE', await place(), { ...contact, headers: tus });
  const sitePlan = await place();
  await story.record('HEAD', sitePlan, { ...contact, headers: tus });
  await story.record('PATCH', sitePlan, {
    ...contact,
    body: invoice,
    headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
  });
  await checkUpload(engines, accountId, sitePlan.slice(sitePlan.lastIndexOf('/') + 1), new AbortController().signal);
  await story.record('GET', sitePlan, contact);
  await story.record('GET', '/link/uploads', contact);
  await story.record('POST', '/link/send', { ...contact, body: { message: 'The site plan.' } });
  await story.record('POST', '/link/close', contact);

  // A link to share with anybody, and one for all receivers, of whom Anna uses it.
  names.beginChapter(16);
  const sharedLinks = `/drops/${dropId}/shared-links`;
  const forAnybody = { kind: 'anybody', max_downloads: 10, expires_in: 86_400 };
  names.add(await deriveToken(exchange, actor, dropId, 1_000_000), 'q7Xd2mVt9KcRw4Hn8Bf3Lp6Zs1TgYj5EuAo0DiNvWxQ');
  await story.record('POST', sharedLinks, { key: nightly, body: forAnybody });
  await story.record('GET', sharedLinks, { key: nightly });
  await story.record('POST', `${sharedLinks}/1000000/revoke`, { key: nightly });
  await story.ask('POST', sharedLinks, { key: nightly, body: { kind: 'named' } });
  const ofAll = { body: { secret: await deriveToken(exchange, actor, dropId, 1_000_001) } };
  const { session: unnamed } = (await story.ask('POST', '/link/open', ofAll)).json();
  await story.record('POST', '/link/receiver', { key: String(unnamed), body: { email: 'anna@example.org' } });

  // The inbox: the first entry succeeds at the second attempt, the other is parked.
  names.beginChapter(14);
  await story.record('GET', '/inbox', { key });
  const claim = async (isExample: boolean) => {
    const body = { max: 10, lease_seconds: 300, wait: 20 };
    const claimed = await (isExample
      ? story.record('POST', '/inbox/claim', { key, body })
      : story.ask('POST', '/inbox/claim', { key, body }));
    return claimed.json().data as { id: string; lease: string; files: { id: string }[] }[];
  };
  const [first, second] = await claim(true);
  if (!first || !second) throw new Error('an entry is missing');
  await story.record('POST', `/inbox/${first.id}/nack`, { key, body: { lease: first.lease, delay_seconds: 60 } });
  await story.ask('POST', `/inbox/${second.id}/nack`, { key, body: { lease: second.lease, delay_seconds: 0 } });
  await advanceQueue(database, actor, 61);
  const [again] = await claim(false);
  if (!again) throw new Error('the entry is missing');
  await story.record('GET', `/inbox/${first.id}`, { key });
  const file = `/inbox/${first.id}/files/${first.files[0]?.id}`;
  await story.record('HEAD', file, { key });
  await story.record('GET', file, { key });
  await story.record('HEAD', `/inbox/${first.id}/all.zip`, { key });
  await story.record('GET', `/inbox/${first.id}/all.zip`, { key });
  await story.record('POST', `/inbox/${first.id}/renew`, { key, body: { lease: again.lease, lease_seconds: 300 } });
  await story.record('POST', `/inbox/${first.id}/ack`, { key, body: { lease: again.lease } });
  await story.ask('POST', `/inbox/${second.id}/nack`, { key, body: { lease: again.lease } });
  await story.record('POST', `/inbox/${second.id}/release`, { key });

  // The usage of the account, and the events of all this.
  names.beginChapter(15);
  await story.record('GET', '/account', { key: nightly });
  const events = await readEvents(26);
  const contactEvents = await story.ask('GET', '/events?limit=3', { key });
  const { next_cursor: cursor } = contactEvents.json();
  names.add(cursor, 'eyJhIjoxNzQyfQ');
  await story.record('GET', `/events?cursor=${cursor}&limit=2`, { key: nightly });
  story.add('events', { response: names.apply({ data: toDistinct(events) }) as object });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const stream = await EventStreamReader.open(app, '/api/v1/events/stream', { authorization: `Bearer ${key}` });
  while (!stream.events.some(({ type }) => type === 'drop.opened')) await once(stream.response, 'data');
  const opened = stream.events.find(({ type }) => type === 'drop.opened');
  stream.close();
  story.add('streamEvents', {
    response: `event: ${opened?.type}\nid: eyJhIjoxNzQyfQ\ndata: ${JSON.stringify(names.apply(opened?.data))}\n\n`,
  });
  await deliver();
  const received = receiver.requests.map(({ body }) => JSON.parse(body) as { id: string; type: string });
  const completed = received.find(({ type }) => type === 'drop.completed');
  if (!completed) throw new Error(`the webhook got ${received.map(({ type }) => type).join(', ')}`);
  story.add('receiveEvent', { request: names.apply(completed) as object });
  await story.record('POST', `/webhooks/${webhook.id}/test`, { key });
  await deliver();
  await story.record('POST', `/webhooks/${webhook.id}/replay`, { key, body: { event_id: completed.id } });
  await deliver();
  await story.record('GET', `/webhooks/${webhook.id}/attempts?limit=2`, { key });
  await story.record('PATCH', `/webhooks/${webhook.id}`, { key, body: { types: null } });
  await story.record('POST', `/webhooks/${webhook.id}/replace_secret`, { key, body: { previous_seconds: 86_400 } });
  await story.record('POST', `/webhooks/${webhook.id}/disable`, { key });
  await story.record('POST', `/webhooks/${webhook.id}/enable`, { key });

  // A test of the same, whose mails are kept.
  names.beginChapter(16);
  const pipeline = { name: 'pipeline', scopes: ['send', 'history'], mode: 'test' };
  const test = { key: String((await story.ask('POST', '/keys', { key, body: pipeline })).json().api_key) };
  const headers = { 'content-type': 'application/pdf', 'content-disposition': 'attachment; filename="report.pdf"' };
  const { id: testUpload } = (await story.ask('POST', '/uploads', { ...test, body: report, headers })).json();
  const testDrop = {
    uploads: [testUpload],
    receivers: [{ email: 'anna@test.example.org' }],
    external_id: 'order-4711',
  };
  await story.ask('POST', '/drops', { ...test, body: testDrop });
  await sendMails();
  await story.record('GET', '/test/messages?to=anna@test.example.org', test);

  // The end.
  names.beginChapter(17);
  await story.record('POST', `/requests/${requestId}/extend`, { key, body: { expires_in: 2 * week } });
  await story.record('POST', `/requests/${requestId}/receivers/1/revoke`, { key });
  await story.record('POST', `/requests/${requestId}/revoke`, { key });
  await story.record('POST', `/drops/${dropId}/revoke`, { key: nightly });
  await story.record('DELETE', '/contacts/bo@example.org', { key });
  await story.record('DELETE', `/webhooks/${webhook.id}`, { key });
  await story.record('DELETE', `/keys/${keyId}`, { key });
  await app.close();
  return story.examples;
}

/** The first event of each type. */
function toDistinct<Event extends { readonly type: string }>(events: readonly Event[]): Event[] {
  return [...Map.groupBy(events, ({ type }) => type).values()].flatMap(([first]) => (first ? [first] : []));
}
