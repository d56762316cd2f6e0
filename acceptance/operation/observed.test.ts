// An operator's view of an exchange: metrics, traces and logs that belong together, and no secret in any of them.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { closedPort } from '../../tools/shared/tcp.ts';
import { uniqueAddress } from '../lib/accounts.ts';
import { auditCollector } from '../lib/audit-collector.ts';
import type { Client } from '../lib/http/client.ts';
import { otlpReceiver, type ReceivedSpan } from '../lib/otlp-receiver.ts';
import { linkTokens, mailsTo, waitForMail } from '../lib/people/mailbox.ts';
import { openedLink } from '../lib/people/opened-link.ts';
import { codeIn } from '../lib/people/sms.ts';
import { dispatch } from '../lib/scenario.ts';
import { admin } from '../lib/servers/admin.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';

const content = randomBytes(300_000);
const message = `canary message ${randomUUID()}`;
const fileName = `canary-file-${randomUUID()}.bin`;
const callerTrace = randomBytes(16).toString('hex');
const callerSpan = randomBytes(8).toString('hex');

let receiver: Awaited<ReturnType<typeof otlpReceiver>>;
let collector: Awaited<ReturnType<typeof auditCollector>>;
let exchange: OwnExchange;
/** Secrets that must not be seen anywhere, each under a name that may be printed. */
const secrets = new Map<string, string>();
/** By process. */
const metrics = new Map<string, string>();
/** The outputs of commands while the target of the audit refuses entries. */
let diagnosis: string;
let targets: unknown;

beforeAll(async () => {
  receiver = await otlpReceiver();
  const authorization = `Bearer ${randomUUID()}`;
  secrets.set('the authorization of the audit’s target', authorization);
  collector = await auditCollector(authorization);
  const [serveProbes, workProbes] = [`127.0.0.1:${await closedPort()}`, `127.0.0.1:${await closedPort()}`];
  exchange = await ownExchange({
    settings: {
      WAYBILL_OTLP_URL: receiver.url,
      WAYBILL_SECOND_FACTOR: 'mail',
      WAYBILL_PROBES_LISTEN: serveProbes,
      WAYBILL_WORK_PROBES_LISTEN: workProbes,
      ...collector.settings,
    },
  });
  await exchange.work();
  const client = await exchange.client('observed');
  await sendAndReceive(client);
  await attack(client);
  await refuseAndAcceptAudit();
  for (const [name, address] of Object.entries({ serve: serveProbes, work: workProbes })) {
    metrics.set(name, await (await fetch(`http://${address}/metrics`)).text());
  }
  // The last spans are sent when a process stops.
  await Promise.all(exchange.processes.map((process) => process.stop()));
});
afterAll(async () => {
  await exchange[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

/** Asks the commands while entries are refused, and waits until all are taken. */
async function refuseAndAcceptAudit(): Promise<void> {
  const run = async (...words: string[]) =>
    (await admin(words, '', { ...exchange.settings, ...collector.settings })).stdout;
  await eventually('entries that are refused', async () => (collector.countRefused() > 0 ? true : undefined));
  diagnosis = await eventually('the failure on record', async () => {
    const said = await run('doctor', 'audit');
    return said.includes('The response was 403') ? said : undefined;
  });
  targets = JSON.parse(await run('audit', 'targets', '--json'));
  collector.accept();
  const isTaken = () => collector.events.some(({ message: action }) => action === 'drop.created');
  await eventually('entries that are taken', async () => (isTaken() ? true : undefined));
}

/** Everything that a sender and a receiver do, with a code. */
async function sendAndReceive(client: Client): Promise<void> {
  const to = uniqueAddress('observed');
  secrets.set('the API key', client.account.apiKey).set('the credentials', client.authorization.slice('Basic '.length));
  secrets
    .set('the token', await client.token())
    .set('the message', message)
    .set('the file’s name', fileName);
  secrets.set('the receiver’s address', to).set('the account’s address', client.user);
  await client.get('cgi/get_files.cgi', { traceparent: `00-${callerTrace}-${callerSpan}-01` });
  await dispatch(client, { to: [to], files: [{ name: fileName, content }], parameters: { ddmessage: message } });
  const [token = ''] = linkTokens(await waitForMail(to), 'd');
  secrets.set('the link’s token', token);
  const { page, headers } = await openedLink(`${exchange.baseUrl}/d/${token}`);
  const code = await codeIn('a code', async () =>
    (await mailsTo(to)).filter(({ email }) => /code/i.test(email.subject ?? '')).map(({ email }) => email.text ?? ''),
  );
  secrets.set('the code', code).set('the cookie', headers.cookie.split('=')[1] ?? '');
  const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0');
  for (const typed of [wrong, code]) {
    await fetch(`${page}code`, {
      method: 'POST',
      headers,
      redirect: 'manual',
      body: new URLSearchParams({ code: typed }),
    });
  }
  const [, href = ''] = /href="(files\/[^"]+)"/.exec(await (await fetch(page, { headers })).text()) ?? [];
  const download = await fetch(new URL(href, page), { headers });
  expect(Buffer.from(await download.arrayBuffer()).equals(content)).toBe(true);
}

/** Requests that fail, with secrets wherever a request can carry one. */
async function attack(client: Client): Promise<void> {
  const link = secrets.get('the link’s token') ?? '';
  const key = secrets.get('the API key') ?? '';
  for (const path of [`/d/${link}x`, `/d/${link}/${key}?token=${link}`, `/u/${link}`, `/${key}/cgi/nothing.cgi`]) {
    await fetch(`${exchange.baseUrl}${path}`);
  }
  await client.plain('GET', `/${client.user}/`, { headers: { Authorization: `Basic ${key}` } });
  await client.post('cgi/createdrop.cgi', { ddmessage: message, unknown: key });
  await client.get('cgi/get_files.cgi', { tracestate: `canary=${key}`, baggage: `key=${key}`, traceparent: key });
}

const findChildren = (parent: ReceivedSpan, all: readonly ReceivedSpan[]): ReceivedSpan[] =>
  all
    .filter(({ traceId, parentSpanId }) => traceId === parent.traceId && parentSpanId === parent.spanId)
    .flatMap((child) => [child, ...findChildren(child, all)]);
const findSpan = (name: string) =>
  eventually(`a span ${name}`, async () => receiver.spans.find((span) => span.name === name));

test('an upload is traced to its statements and to the object store', async () => {
  const upload = await findSpan('POST /:user/cgi/upload.cgi');
  const steps = new Set(findChildren(upload, receiver.spans).map(({ name }) => name));
  expect([...steps]).toEqual(
    expect.arrayContaining(['postgres statement', 's3 put', 'clamd verdict', 'postgres accounts.credentials']),
  );
  const statements = receiver.spans.flatMap(({ attributes }) =>
    attributes.filter(({ key }) => key === 'db.query.text'),
  );
  expect(statements.map(({ value }) => String(value['stringValue']))).toContainEqual(expect.stringMatching(/\$1/));
});

test('a dispatch is traced to the mails that it causes, in another process', async () => {
  const { traceId } = await findSpan('POST /:user/cgi/createdrop.cgi');
  const job = receiver.spans.find((span) => span.name === 'job send-message' && span.traceId === traceId);
  expect(job).toBeDefined();
  const steps = findChildren(job as ReceivedSpan, receiver.spans).map(({ name }) => name);
  expect(steps).toEqual(expect.arrayContaining(['smtp send', 'postgres outbox.settle']));
});

test('a trace that the caller began is continued, and the log names it', () => {
  const continued = receiver.spans.filter(({ parentSpanId }) => parentSpanId === callerSpan);
  expect(continued).toMatchObject([{ name: 'GET /:user/cgi/get_files.cgi', traceId: callerTrace }]);
  const lines = exchange.first.said.filter((line) => line.includes(callerTrace));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({
      msg: 'request completed',
      traceId: callerTrace,
      route: '/:user/cgi/get_files.cgi',
      status: 200,
    }),
  );
});

test('the log of a worker names the job', () => {
  const lines = exchange.processes.flatMap(({ said }) => said).filter((line) => line.includes('"a job ended"'));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({ job: 'send-message', jobId: expect.any(Number), traceId: expect.any(String) }),
  );
});

test('each process has its metrics', () => {
  expect(metrics.get('serve')).toMatch(
    /^waybill_http_requests_total\{surface="api",method="POST",route="\/:user\/cgi\/upload\.cgi",status="2xx"\} 1$/m,
  );
  expect(metrics.get('serve')).toMatch(/^waybill_http_refusals_total\{surface="api",code="unauthorized"\} [1-9]/m);
  expect(metrics.get('serve')).toMatch(
    /^waybill_engine_call_duration_seconds_count\{engine="s3",operation="put"\} [1-9]/m,
  );
  expect(metrics.get('serve')).toMatch(/^waybill_scans_total\{verdict="clean"\} 1$/m);
  expect(metrics.get('work')).toMatch(/^waybill_messages_total\{outcome="sent"\} [2-9]$/m);
  expect(metrics.get('work')).toMatch(/^waybill_outbox_messages\{state="abandoned"\} 0$/m);
  expect(metrics.get('work')).toMatch(/^waybill_jobs_oldest_age_seconds\{task="send-message",priority="normal"\} /m);
  expect(metrics.get('work')).toMatch(/^waybill_sweep_last_success_timestamp_seconds 1\d{9}/m);
});

test('a target of the audit that refuses entries is named with what to do, and then gets them all', async () => {
  const remedy = 'Correct WAYBILL_AUDIT_HTTPS_AUTHORIZATION, and restart `work`.';
  expect(diagnosis).toMatch(/fault\s+audit\.delivery\n.*the target https has not taken .*: The response was 403\.\n/);
  expect(diagnosis).toContain(remedy);
  expect(targets).toMatchObject([{ target: 'https', status: 'failing', position: null, refused_entry: null, remedy }]);
  expect(metrics.get('work')).toMatch(/^waybill_audit_failures_total\{target="https"\} [1-9]/m);
  expect(metrics.get('work')).toMatch(/^waybill_audit_waiting_seconds\{target="https"\} /m);
  const recorded = await exchange.query<{ id: string }>(
    'select id from audit_entries order by epoch, transaction_id, sequence',
  );
  const taken = [...new Set(collector.events.map(({ metadata }) => metadata.uid))];
  expect(recorded.map(({ id }) => id).slice(0, taken.length)).toEqual(taken);
});

/** A code is six digits, which may also be a part of a longer number. */
function contains(text: string, secret: string): boolean {
  return text.split(secret).some((before, index, parts) => {
    const after = parts[index + 1];
    return after !== undefined && !/\d$/.test(before) && !/^\d/.test(after);
  });
}

test('no key, token, code, address or text is in a log, a metric or a trace', () => {
  const seen = new Map<string, string>([
    ...exchange.processes.map(({ said, pid }) => [`the log of ${pid}`, said.join('\n')] as const),
    // Without the samples' values, which may be any number.
    ...[...metrics].map(([name, text]) => [`the metrics of ${name}`, text.replace(/ [^ ]+$/gm, '')] as const),
    ['the traces', JSON.stringify(receiver.spans)],
  ]);
  expect(receiver.spans.length).toBeGreaterThan(100);
  expect(secrets.size).toBe(11);
  const found = [...seen].flatMap(([where, text]) =>
    [...secrets].flatMap(([what, secret]) => (contains(text, secret) ? [`${where}: ${what}`] : [])),
  );
  expect(found).toEqual([]);
});
