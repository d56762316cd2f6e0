// Jobs that fail: the mail server unavailable for an hour, the database unavailable at the worst moment, and a worker
// killed in the middle of each job.
import { spawn } from 'node:child_process';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startScriptedSmtp } from '../../tools/shared/scripted-smtp.ts';
import { closedPort } from '../../tools/shared/tcp.ts';
import { uniqueAddress } from '../lib/accounts.ts';
import { type Client, succeeded } from '../lib/http/client.ts';
import { inboxFrom } from '../lib/people/contact.ts';
import { ContactUploader } from '../lib/people/contact-uploader.ts';
import { linkTokens, mailsTo, waitForMail } from '../lib/people/mailbox.ts';
import { dispatch, introduce } from '../lib/scenario.ts';
import { programEnvironment, programPath } from '../lib/servers/admin.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { eventually } from '../lib/wait.ts';
import { databaseThatCanGo } from './database-outage.ts';

let exchange: OwnExchange;
beforeAll(async () => {
  exchange = await ownExchange();
});
afterAll(() => exchange[Symbol.asyncDispose]());
// A failed test leaves no worker behind that would run the next test's jobs.
afterEach(() => exchange.rest());

const slowly = { withinMs: 120_000 };
const messageTo = async (address: string) => {
  const [row] = await exchange.query<{ state: string; attempts: number; outcome: string | null }>(
    'select state, attempts, outcome from messages where receiver = $1',
    [address],
  );
  if (!row) throw new Error(`no message to ${address}`);
  return row;
};
const sent = (address: string) =>
  eventually(
    `the message to ${address} is sent`,
    async () => ((await messageTo(address)).state === 'sent' ? true : undefined),
    slowly,
  );

test('the mail server is unavailable for an hour: nothing is lost, and each mail arrives once afterwards', {
  timeout: 180_000,
}, async () => {
  await anHourWithout(`smtp://127.0.0.1:${await closedPort()}`, 'ECONNREFUSED');
});

test('the mail server refuses the login for an hour: nothing is abandoned, and each mail arrives once afterwards', {
  timeout: 180_000,
}, async () => {
  await using server = await startScriptedSmtp({ AUTH: '535 5.7.8 the password has expired' });
  await anHourWithout(server.url, '535 5.7.8');
  expect(server.accepted).toEqual([]);
});

/** Tries mails for an hour with a mail server that accepts none, and then with the real one. */
async function anHourWithout(smtpUrl: string, outcome: string): Promise<void> {
  const client = await exchange.client('away');
  const receivers = Array.from({ length: 10 }, () => uniqueAddress('patient'));
  const without = await exchange.work({ WAYBILL_SMTP_URL: smtpUrl });
  await dispatch(client, { to: receivers, files: [{ name: 'a.txt', content: 'a' }] });
  // Time is only advanced when no attempt is being made: otherwise a message whose attempt ends at the same moment could
  // be left without a job, and would wait for a sweep.
  const rested = async () => {
    await eventually(
      'nothing is due or being sent',
      async () => {
        const [row] = await exchange.query<{ idle: boolean }>(
          `select not exists (select from messages where receiver = any($1) and due_at <= now())
             and not exists (select from graphile_worker._private_jobs where locked_at is not null) as idle`,
          [receivers],
        );
        return row?.idle || undefined;
      },
      slowly,
    );
    return await Promise.all(receivers.map(messageTo));
  };
  const tried = (min: number) =>
    eventually(
      `${min} attempts each`,
      async () => (await rested()).every(({ attempts }) => attempts >= min) || undefined,
      slowly,
    );
  await tried(1);
  // 15 s, doubling, plus up to a quarter: the fifth attempt is made within ten minutes, the seventh within the hour.
  await exchange.advance(600);
  await tried(2);
  for (let minutes = 10; minutes < 60; minutes += 10) {
    await exchange.advance(600);
    await rested();
  }
  for (const message of await rested()) {
    expect(message.state).toBe('waiting');
    expect(message.attempts).toBeGreaterThanOrEqual(4);
    expect(message.outcome).toContain(outcome);
  }
  for (const receiver of receivers) expect(await mailsTo(receiver)).toEqual([]);
  await without.stop();

  const worker = await exchange.work();
  await exchange.advance(6 * 3600);
  for (const receiver of receivers) {
    await sent(receiver);
    await waitForMail(receiver);
  }
  await worker.stop();
  for (const receiver of receivers) expect(await mailsTo(receiver)).toHaveLength(1);
}

test('the database becomes unavailable just when the mail server has accepted a mail: the mail is sent once', {
  timeout: 120_000,
}, async () => {
  const client = await exchange.client('noted');
  const receiver = uniqueAddress('once');
  await using database = await databaseThatCanGo(exchange.databaseUrl);
  await using server = await startScriptedSmtp({}, async () => database.down());
  const worker = await exchange.work({ WAYBILL_SMTP_URL: server.url, WAYBILL_DATABASE_URL: database.url });
  await dispatch(client, { to: [receiver], files: [{ name: 'a.txt', content: 'a' }] });
  await eventually(
    'the worker has asked for the database in vain',
    async () => database.refused() >= 10 || undefined,
    slowly,
  );
  expect(await messageTo(receiver)).toMatchObject({ state: 'waiting', attempts: 1 });
  database.up();
  await sent(receiver);
  // Remains of the attempt would be completed now.
  await exchange.advance(600);
  await exchange.sweep();
  await worker.stop();
  expect(await messageTo(receiver)).toMatchObject({ state: 'sent', attempts: 1 });
  expect(server.accepted).toHaveLength(1);
});

test('many messages to one receiver: further ones wait, and nobody’s dispatch fails', {
  timeout: 120_000,
}, async () => {
  const [busy, other] = [await exchange.client('busy'), await exchange.client('other')];
  const [victim, bystander] = [uniqueAddress('victim'), uniqueAddress('bystander')];
  const states = () =>
    exchange.query<{ state: string; attempts: number; due: boolean }>(
      'select state, attempts, due_at <= now() as due from messages where receiver = $1 order by state',
      [victim],
    );
  const worker = await exchange.work({ WAYBILL_RECEIVER_MESSAGES_PER_HOUR: '3' });
  await introduce(busy, [victim]);
  for (let nth = 0; nth < 5; nth += 1) {
    succeeded(await busy.setReceivers([{ email: victim }]));
    succeeded(await busy.giveDrop({ ddmessage: `request ${nth}` }));
  }
  await eventually(
    'three are sent and two wait',
    async () => {
      const messages = await states();
      return messages.filter(({ state }) => state === 'sent').length === 3 &&
        !messages.some(({ due, state }) => due && state === 'waiting')
        ? true
        : undefined;
    },
    slowly,
  );
  await dispatch(other, { to: [victim, bystander], files: [{ name: 'a.txt', content: 'a' }] });
  await waitForMail(bystander);
  await eventually(
    'the third one waits too',
    async () =>
      (await states()).filter(({ state, due, attempts }) => state === 'waiting' && !due && attempts === 0).length === 3
        ? true
        : undefined,
    slowly,
  );
  expect(await mailsTo(victim)).toHaveLength(3);
  await worker.stop();

  const later = await exchange.work();
  await exchange.advance(2 * 3600);
  await eventually('all are sent', async () => ((await mailsTo(victim)).length === 6 ? true : undefined), slowly);
  await later.stop();
});

test('a worker that is told to stop as soon as it takes jobs finishes the mail that it is sending', async () => {
  const client = await exchange.client('brief');
  const receiver = uniqueAddress('brief');
  await dispatch(client, { to: [receiver], files: [{ name: 'a.txt', content: 'a' }] });
  const [accepted, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using server = await startScriptedSmtp({}, async () => {
    accepted.resolve();
    await released.promise;
  });
  // As under a systemd that has not read yet that the worker is ready.
  await using socket = await startSilentSocket();
  const worker = spawn(process.execPath, [programPath, 'work'], {
    env: { ...programEnvironment(), ...exchange.settings, WAYBILL_SMTP_URL: server.url, NOTIFY_SOCKET: socket.path },
    stdio: 'ignore',
  });
  const ended = once(worker, 'exit');
  await accepted.promise;
  worker.kill('SIGTERM');
  released.resolve();
  expect(await ended).toEqual([0, null]);
  expect(await messageTo(receiver)).toMatchObject({ state: 'sent', attempts: 1 });
});

/** A socket for the messages to systemd, which nobody reads: `systemd-notify` waits for seconds. Node has no such sockets. */
async function startSilentSocket(): Promise<AsyncDisposable & { path: string }> {
  const path = join(tmpdir(), `waybill-notify-${randomUUID()}`);
  const program =
    'import socket, sys; s = socket.socket(1, 2); s.bind(sys.argv[1]); print(flush=True); sys.stdin.read()';
  const child = spawn('python3', ['-c', program, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return {
    path,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
      rmSync(path);
    },
  };
}

test('a command sends all abandoned messages again, by their reason', { timeout: 120_000 }, async () => {
  const client = await exchange.client('revived');
  const receivers = Array.from({ length: 3 }, () => uniqueAddress('revived'));
  await dispatch(client, { to: receivers, files: [{ name: 'a.txt', content: 'a' }] });
  await exchange.query(
    `update messages set state = 'abandoned', outcome = 'the old relay refused it', settled_at = now() - interval '1 hour'
     where receiver = any($1)`,
    [receivers],
  );
  const retryAbandoned = (...options: string[]) => exchange.admin('outbox', 'retry', '--abandoned', ...options);
  const reason = ['--reason', 'OLD relay'];
  const halfAnHourAgo = new Date(Date.now() - 30 * 60_000).toISOString();
  expect(await retryAbandoned(...reason, '--since', halfAnHourAgo)).toMatchObject({
    exitCode: 0,
    stdout: '0 messages will be sent again.\n',
  });
  const twoHoursAgo = new Date(Date.now() - 120 * 60_000).toISOString();
  expect(await retryAbandoned(...reason, '--since', twoHoursAgo, '--json')).toMatchObject({
    exitCode: 0,
    stdout: '{"retried":3}\n',
  });
  const worker = await exchange.work();
  for (const receiver of receivers) await waitForMail(receiver);
  await worker.stop();
});

for (const [command, problem] of [
  [['retry'], 'Name a message, or use --abandoned, --waiting or --all.'],
  [['retry', '--all', randomUUID()], 'not both'],
  [['retry', randomUUID()], '--account'],
  [['retry', '--all', '--account', 'a@example.org'], '--abandoned, --waiting and --all are for all accounts'],
  [['retry', randomUUID(), '--account', 'a@example.org', '--since', '2026-01-01'], 'can only be used with --abandoned'],
  [['retry', '--abandoned', '--since', 'yesterday'], '2026-11-15T08:00:00Z'],
  [['retry', '--waiting', '--since', '2026-01-01'], 'can only be used with --abandoned'],
] as const) {
  test(`rejects wrong usage: outbox ${command.join(' ')}`, async () => {
    const { exitCode, stdout, stderr } = await exchange.admin('outbox', ...command);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(problem);
  });
}

/** Starts a worker that kills itself at a checkpoint, makes it reach the checkpoint, and lets its leases expire. */
async function killedAt(checkpoint: string, reach: () => Promise<unknown>): Promise<void> {
  const doomed = await exchange.work({ WAYBILL_FAILPOINT: checkpoint });
  await reach();
  expect(await doomed.ended).toBe('SIGKILL');
  await exchange.advance(600);
  await exchange.sweep();
}

test('a worker killed after a mail was accepted: it is sent once more, with the same Message-ID', {
  timeout: 120_000,
}, async () => {
  const client = await exchange.client('killed');
  const receiver = uniqueAddress('twice');
  await killedAt('message:sent', () => dispatch(client, { to: [receiver], files: [{ name: 'a.txt', content: 'a' }] }));
  expect(await messageTo(receiver)).toMatchObject({ state: 'waiting', attempts: 1 });
  const worker = await exchange.work();
  await sent(receiver);
  await worker.stop();
  const mails = await eventually('both mails', async () => {
    const found = await mailsTo(receiver);
    return found.length >= 2 ? found : undefined;
  });
  expect(mails).toHaveLength(2);
  expect(new Set(mails.map(({ email }) => email.messageId)).size).toBe(1);
});

async function uploadAsContact(client: Client, name: string, content: Buffer) {
  const contact = uniqueAddress('contact');
  await introduce(client, [contact]);
  succeeded(await client.setReceivers([{ email: contact }]));
  succeeded(await client.giveDrop({}));
  const worker = await exchange.work();
  const [token = ''] = linkTokens(await waitForMail(contact), 'u');
  await sent(contact);
  await worker.stop();
  const uploader = await ContactUploader.open(exchange.baseUrl, token);
  const upload = await uploader.announce(exchange.baseUrl, name, content.length);
  return {
    contact,
    finish: () => uploader.continue(exchange.baseUrl, upload, content),
    send: () => uploader.send(exchange.baseUrl),
  };
}

for (const checkpoint of ['check:read-back', 'check:before-commit']) {
  test(`a worker killed at ${checkpoint}: the upload is checked again, and counts once`, {
    timeout: 120_000,
  }, async () => {
    const client = await exchange.client('checked');
    const content = randomBytes(9 * 1024 * 1024);
    const upload = await uploadAsContact(client, 'checked.bin', content);
    await killedAt(checkpoint, async () => expect((await upload.finish()).status).toBe(204));
    expect((await upload.send()).status).toBe(409);
    const worker = await exchange.work();
    const response = await eventually(
      'the upload is checked',
      async () => {
        const tried = await upload.send();
        return tried.status === 200 ? tried : undefined;
      },
      slowly,
    );
    expect(await response.json()).toEqual({ files: [{ name: 'checked.bin', sizeBytes: content.length }] });
    await worker.stop();
    const [entry, ...more] = await inboxFrom(client, upload.contact);
    expect(more).toEqual([]);
    const { body } = await client.download(entry?.url ?? '', 'checked.bin');
    expect(createHash('sha256').update(body).digest()).toEqual(createHash('sha256').update(content).digest());
  });
}

test('a worker killed during a sweep: the next one sweeps the rest', { timeout: 120_000 }, async () => {
  const client = await exchange.client('swept');
  const receiver = uniqueAddress('late');
  await dispatch(client, { to: [receiver], files: [{ name: 'a.txt', content: 'a' }] });
  await exchange.query(
    `update drops set expires_at = now() - interval '1 second'
     where id = (select drop_id from links where email = $1)`,
    [receiver],
  );
  const filesLeft = async () =>
    (
      await exchange.query<{ state: string }>(
        'select state from files where drop_id = (select drop_id from links where email = $1)',
        [receiver],
      )
    ).map(({ state }) => state);
  // A worker sweeps as soon as it has started.
  await killedAt('sweep:objects-deleted', async () => undefined);
  expect(await filesLeft()).toEqual(['gone']);
});

test('every connection to the database is cut: serve and work use new ones, and the mail is sent once', {
  timeout: 120_000,
}, async () => {
  const client = await exchange.client('cut');
  const receiver = uniqueAddress('cut');
  const worker = await exchange.work();
  const backends = () =>
    exchange.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
    );
  // Two at once, so that one of the test's own connections is idle while the other one cuts it.
  await Promise.all([backends(), backends()]);
  const [cut] = await exchange.query<{ count: number }>(
    `select count(pg_terminate_backend(pid))::integer as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
  );
  expect(cut?.count).toBeGreaterThanOrEqual(3);
  // A request on a cut connection gets 503; the next one gets a new connection.
  await eventually('requests are served again', async () => {
    const response = await client.addContacts([{ email: receiver }]).catch(() => undefined);
    return response?.status === 200 ? true : undefined;
  });
  await dispatch(client, { to: [receiver], files: [{ name: 'a.txt', content: 'a' }] });
  await sent(receiver);
  await worker.stop();
  expect(await mailsTo(receiver)).toHaveLength(1);
});
