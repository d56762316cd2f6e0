// An operator's first day: wrong settings are named at startup, and commands report the truth.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { closedPort } from '../../tools/shared/tcp.ts';
import { freshClient, uniqueAddress } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { TcpProxy } from '../lib/http/tcp-proxy.ts';
import { waitForMail } from '../lib/people/mailbox.ts';
import { dispatch } from '../lib/scenario.ts';
import { admin, adminJson, processEnvironment, programEnvironment, programPath } from '../lib/servers/admin.ts';
import { query } from '../lib/servers/exchange-internals.ts';
import { ownServe, ownWorker } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-operating-'));
afterAll(() => rmSync(folder, { recursive: true }));

let sender: Client;
beforeAll(async () => {
  sender = await freshClient('operating');
  await dispatch(sender, { to: [uniqueAddress()], files: [{ name: 'a.txt', content: Buffer.from('a') }] });
});

/** Runs the program with these settings until it ends. */
async function ended(args: string[], overrides: Record<string, string> = {}) {
  const child = spawn(process.execPath, [programPath, ...args], {
    env: { ...programEnvironment(), WAYBILL_LISTEN: '127.0.0.1:0', ...overrides },
    signal: AbortSignal.timeout(50_000),
  });
  const [stdout, stderr, [exitCode]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, exitCode: exitCode as number | null };
}

function keyFile(content: string, mode = 0o600): string {
  const path = join(folder, randomBytes(8).toString('hex'));
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}
const storedKeys = () => readFileSync(programEnvironment()['WAYBILL_MASTER_KEY_FILE'] ?? '', 'utf8');

test('the program prints its version', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../../server/package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect(await ended(['--version'])).toEqual({ stdout: `${version}\n`, stderr: '', exitCode: 0 });
});

test('the audit names the user who ran a command, and the one who ran it by sudo', async () => {
  const { username } = userInfo();
  await adminJson(['accounts', 'set', '--email', sender.user, '--receipts', 'off', '--json'], '', {
    SUDO_USER: 'anna',
  });
  await adminJson(['accounts', 'set', '--email', sender.user, '--receipts', 'on', '--json'], '', { SUDO_USER: 'a\nb' });
  const entries = await query(
    `select author_kind, author_id, author_name from audit_entries where action = 'account.changed'
       and account_id = (select id from accounts where email = $1) order by at`,
    [sender.user],
  );
  expect(entries).toEqual([
    { author_kind: 'command', author_id: `anna as ${username}`, author_name: 'admin' },
    { author_kind: 'command', author_id: username, author_name: 'admin' },
  ]);
});

describe('a setting that is wrong is named at the start', () => {
  test.each<[what: string, overrides: () => Record<string, string>, said: string]>([
    ['a bucket that does not exist', () => ({ WAYBILL_S3_BUCKET: 'waybill-missing' }), 'WAYBILL_S3_BUCKET'],
    ['a wrong S3 secret', () => ({ WAYBILL_S3_SECRET_ACCESS_KEY: 'wrong' }), 'WAYBILL_S3_SECRET_ACCESS_KEY'],
    [
      'another master key under a known version',
      () => ({ WAYBILL_MASTER_KEY_FILE: keyFile(`1:${randomBytes(32).toString('base64')}\n`) }),
      'The master key of version 1 does not open what is stored.',
    ],
    [
      'a key file that everybody can read',
      () => ({ WAYBILL_MASTER_KEY_FILE: keyFile(storedKeys(), 0o644) }),
      'chmod o= ',
    ],
    [
      'another pepper',
      () => ({ WAYBILL_KEY_PEPPER: randomBytes(32).toString('base64') }),
      'WAYBILL_KEY_PEPPER is not the one that this database is used with',
    ],
  ])('%s', async (_what, overrides, said) => {
    for (const role of ['serve', 'work']) {
      const { exitCode, stderr } = await ended([role], overrides());
      expect({ role, exitCode }).toEqual({ role, exitCode: 78 });
      expect(stderr).toContain(said);
    }
  });

  test.each<[what: string, overrides: Record<string, string>, exitCode: number, said: string]>([
    [
      'a database that does not exist',
      { WAYBILL_DATABASE_URL: 'postgres://postgres@127.0.0.1:5544/none' },
      78,
      'WAYBILL_DATABASE_URL',
    ],
    ['a key file that does not exist', { WAYBILL_MASTER_KEY_FILE: '/none' }, 78, 'WAYBILL_MASTER_KEY_FILE names /none'],
    [
      'a secret’s file that does not exist',
      { WAYBILL_KEY_PEPPER_FILE: '/none' },
      78,
      'WAYBILL_KEY_PEPPER is to be read from /none',
    ],
    [
      'a key file without a key',
      { WAYBILL_MASTER_KEY_FILE: keyFile('nothing\n') },
      78,
      'a line is not VERSION:BASE64 OF 32 BYTES',
    ],
    ['a language without texts', { WAYBILL_LANGUAGE: 'xx' }, 78, 'WAYBILL_LANGUAGE'],
    // Another process may be about to end.
    ['an address that is in use', { WAYBILL_LISTEN: '127.0.0.1:5544' }, 1, 'WAYBILL_LISTEN cannot be used'],
  ])('%s', async (_what, overrides, expected, said) => {
    const { exitCode, stderr } = await ended(['serve'], overrides);
    expect(exitCode).toBe(expected);
    expect(stderr).toMatch(/^waybilld: /);
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('    at ');
  });

  test('a port below 1024 without the right to it', async () => {
    // As root, but like the services' user: without this right, and unable to get it.
    const words = ['--bounding-set=-net_bind_service', process.execPath, programPath, 'serve'];
    const child = spawn('setpriv', words, {
      env: { ...programEnvironment(), WAYBILL_LISTEN: '127.0.0.1:443' },
      signal: AbortSignal.timeout(50_000),
    });
    const [stderr, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(exitCode).toBe(78);
    expect(stderr).toMatch(/^waybilld: WAYBILL_LISTEN cannot be used: a port below 1024 .*\n$/);
  });

  test('too few connections for `work`, which `serve` may have', async () => {
    const few = { WAYBILL_DATABASE_CONNECTIONS: '6' };
    const { exitCode, stderr } = await ended(['work'], few);
    expect({ exitCode, stderr }).toMatchObject({
      exitCode: 78,
      stderr: expect.stringContaining('WAYBILL_DATABASE_CONNECTIONS is 6, and `work` needs at least 7.'),
    });
    const serve = await ownServe(few);
    await serve.stop();
  });

  test('a command refuses another pepper, and the doctor finds it and too few connections', async () => {
    const wrong = { WAYBILL_KEY_PEPPER: randomBytes(32).toString('base64'), WAYBILL_DATABASE_CONNECTIONS: '6' };
    const words = ['accounts', 'create', '--email', uniqueAddress(), '--phone', '46700000001'];
    expect(await admin(words, '', wrong)).toMatchObject({ exitCode: 78, stdout: '' });
    const examined = await admin(['doctor', 'keys', 'postgres', '--json'], '', wrong);
    const { findings } = JSON.parse(examined.stdout) as { findings: { check: string; status: string; says: string }[] };
    expect(findings.find(({ check }) => check === 'keys.pepper')).toMatchObject({ status: 'fault' });
    expect(findings.find(({ check }) => check === 'postgres.connections')).toMatchObject({ status: 'warning' });
  });

  test('a malformed mail server or sender', async () => {
    const wrong = { WAYBILL_SMTP_URL: 'mail.example.org:25', WAYBILL_MAIL_FROM: 'nobody' };
    const { exitCode, stderr } = await ended(['serve'], wrong);
    expect(exitCode).toBe(78);
    expect(stderr).toMatch(/WAYBILL_SMTP_URL is .*\n.*WAYBILL_MAIL_FROM is /);
  });
});

describe('the environment file', () => {
  const databaseUrl = 'postgres:///waybill_demo?host=127.0.0.1&port=5544&user=postgres';
  const { WAYBILL_DATABASE_URL: _, ...others } = demoEnvironment();
  const file = (databaseLine: string, mode = 0o640) =>
    keyFile(
      ['# Ours.', databaseLine, ...Object.entries(others).map(([name, value]) => `${name}=${value}`)].join('\n'),
      mode,
    );
  const listed = async (path: string, more: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [programPath, 'admin', 'accounts', 'list'], {
      env: { ...processEnvironment, WAYBILL_ENVIRONMENT_FILE: path, ...more },
    });
    const [stderr, , [exitCode]] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'exit')]);
    return { stderr, exitCode: exitCode as number | null };
  };

  test.each<[what: string, line: string]>([
    ['plain, with characters that a shell interprets', `WAYBILL_DATABASE_URL=${databaseUrl}`],
    ['in double quotes, which Docker takes for a part of the value', `WAYBILL_DATABASE_URL="${databaseUrl}"`],
    ['in single quotes', `WAYBILL_DATABASE_URL='${databaseUrl}'`],
  ])('is read by the program: %s', async (_what, line) => {
    expect(await listed(file(line))).toEqual({ stderr: '', exitCode: 0 });
  });

  test('is overridden by the environment', async () => {
    const path = file('WAYBILL_DATABASE_URL=postgres://127.0.0.1:1/none');
    expect(await listed(path, { WAYBILL_DATABASE_URL: databaseUrl })).toEqual({ stderr: '', exitCode: 0 });
  });

  test('is refused if everyone can read it, if it is missing, and if a line is invalid', async () => {
    const open = file(`WAYBILL_DATABASE_URL=${databaseUrl}`, 0o644);
    expect(await listed(open)).toMatchObject({ exitCode: 78, stderr: expect.stringContaining(`chmod o= ${open}`) });
    expect(await listed('/none')).toMatchObject({
      exitCode: 78,
      stderr:
        'waybilld: The configuration is incomplete or wrong:\n  WAYBILL_ENVIRONMENT_FILE names /none, which cannot be read (ENOENT). Run: waybilld setup\n',
    });
    const wrong = file(`WAYBILL_DATABASE_URL=${databaseUrl}\nset -e`);
    expect(await listed(wrong)).toMatchObject({
      exitCode: 78,
      stderr: expect.stringContaining(`line 3 of ${wrong} is not NAME=VALUE.`),
    });
  });
});

test('a key file for the service’s group, as set-up creates it, is accepted', async () => {
  const path = keyFile(storedKeys(), 0o640);
  const serve = await ownServe({ WAYBILL_MASTER_KEY_FILE: path });
  await serve.stop();
});

test('the documented rotation leaves a key file that the service can read, with the new key first', async () => {
  const guide = readFileSync(new URL('../../docs/keys.md', import.meta.url), 'utf8');
  const section = guide.slice(guide.indexOf('**The master key.**'), guide.indexOf('**The pepper**'));
  const path = keyFile(storedKeys(), 0o640);
  // Without restarts, and without wrapping the keys of the demo by a key that it does not have.
  const script = [...section.matchAll(/```sh\n([^`]*)```/g)]
    .flatMap(([, commands = '']) => commands.split('\n').filter((line) => !/^(?:systemctl|waybilld) /.test(line)))
    .join('\n')
    .replaceAll('/etc/waybill/master-keys', path);
  const child = spawn('/bin/sh', ['-eu', '-c', script], { stdio: 'inherit' });
  expect(await once(child, 'exit')).toEqual([0, null]);
  expect(
    readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.slice(0, 2)),
  ).toEqual(['2:', '1:', '']);
  const serve = await ownServe({ WAYBILL_MASTER_KEY_FILE: path });
  await serve.stop();
});

test('an unavailable engine does not prevent the start, and readiness names it', async () => {
  const reached = expect.stringMatching(/^(?:ok|slow)$/);
  // One refuses connections, the other accepts them and stays silent.
  const silent = createServer().listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const probesPort = await closedPort();
  const serve = await ownServe({
    WAYBILL_S3_ENDPOINT: `http://127.0.0.1:${await closedPort()}`,
    WAYBILL_REDIS_URL: `redis://127.0.0.1:${port}`,
    WAYBILL_PROBES_LISTEN: `127.0.0.1:${probesPort}`,
  });
  try {
    const tookMs: number[] = [];
    const away = await eventually('both are found out of reach', async () => {
      const began = performance.now();
      const response = await fetch(`http://127.0.0.1:${probesPort}/readyz`);
      tookMs.push(performance.now() - began);
      expect(response.status).toBe(200);
      const { engines } = (await response.json()) as { engines: Record<string, string> };
      return engines['s3'] === 'out of reach' && engines['valkey'] === 'out of reach' ? engines : undefined;
    });
    // It waits for none of them. On a busy machine a response may be slow nevertheless, and so may engines.
    expect(Math.min(...tookMs)).toBeLessThan(1_000);
    expect(away).toMatchObject({ postgres: reached, masterKeys: reached });
  } finally {
    await serve.stop();
    silent.close();
  }
});

for (const [role, own, setting] of [
  ['serve', ownServe, 'WAYBILL_PROBES_LISTEN'],
  ['work', ownWorker, 'WAYBILL_WORK_PROBES_LISTEN'],
] as const) {
  test(`while ${role} waits for PostgreSQL, it is alive and not ready`, async () => {
    const { hostname, port, href } = new URL(programEnvironment()['WAYBILL_DATABASE_URL'] as string);
    await using proxy = await TcpProxy.before({ host: hostname, port: Number(port) });
    proxy.fault = 'refuse';
    const probesAddress = `127.0.0.1:${await closedPort()}`;
    const starting = own({ WAYBILL_DATABASE_URL: proxy.through(href), [setting]: probesAddress });
    const ask = (path: string) => fetch(`http://${probesAddress}${path}`);
    const alive = await eventually('it responds', () => ask('/healthz').catch(() => undefined));
    expect(alive.status).toBe(200);
    await eventually('it has asked for PostgreSQL in vain', async () => proxy.broken > 0 || undefined);
    const waiting = await ask('/readyz');
    expect([waiting.status, await waiting.json()]).toEqual([503, { status: 'starting', engines: {} }]);
    proxy.fault = 'pass';
    const started = await starting;
    expect((await ask('/readyz')).status).toBe(200);
    await started.stop();
  });
}

test('variables of the client do not prevent the server from starting', async () => {
  const { exitCode, stderr } = await admin(['accounts', 'list', '--json'], '', {
    WAYBILL_URL: 'https://files.example.org',
    WAYBILL_USER: 'me@example.org',
    WAYBILL_API_KEY: 'wb_x',
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
});

test('a command says which engine is unavailable, and what to check', async () => {
  const url = `postgres://postgres@127.0.0.1:${await closedPort()}/waybill`;
  const { exitCode, stderr } = await admin(['accounts', 'list'], '', { WAYBILL_DATABASE_URL: url });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^waybilld: PostgreSQL is out of reach \(connect ECONNREFUSED .*\)\. Start it, or correct WAYBILL_DATABASE_URL\.\n$/,
  );
});

describe('through a pipe', () => {
  const inShell = async (command: string) => {
    const child = spawn(
      'bash',
      ['--norc', '-c', `set -o pipefail; waybilld() { "$node" "$program" "$@"; }; ${command}`],
      {
        env: { ...programEnvironment(), node: process.execPath, program: programPath },
      },
    );
    const [stdout, stderr, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    return { stdout, stderr, exitCode: exitCode as number | null };
  };

  test.each<[what: string, command: string, lines: number]>([
    ['a reader that has seen enough', 'waybilld admin accounts list | head -n 1', 1],
    ['a reader that takes nothing', 'waybilld admin accounts list --json | true', 0],
    ['help', 'waybilld admin --help | head -n 1', 1],
  ])('%s ends a command quietly', async (_what, command, lines) => {
    const { stdout, stderr, exitCode } = await inShell(command);
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
    expect(stdout.split('\n')).toHaveLength(lines + 1);
  });

  test('a full disk is a failure, reported in one line', async () => {
    const { stderr, exitCode } = await inShell('waybilld admin accounts list > /dev/full');
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/^waybilld: The output cannot be written: .*\n$/);
  });
});

describe('drops', () => {
  const list = (account: string) =>
    adminJson<{ id: string; state: string }[]>(['drops', 'list', '--account', account, '--json']);

  test('a revoked one is listed as revoked, and a live one as live', async () => {
    const client = await freshClient('drops');
    for (const name of ['kept.txt', 'revoked.txt'])
      await dispatch(client, { to: [uniqueAddress()], files: [{ name, content: Buffer.from(name) }] });
    const [newest] = await list(client.user);
    await adminJson(['drops', 'revoke', newest?.id ?? '', '--account', client.user, '--json']);
    expect((await list(client.user)).map(({ state }) => state)).toEqual(['revoked', 'live']);
    expect((await admin(['drops', 'list', '--account', client.user])).stdout).toMatch(/  revoked  .*\n.*  live  /);
  });

  test('one is found by the reference in its mail', async () => {
    const client = await freshClient('referred');
    const to = uniqueAddress();
    await dispatch(client, { to: [to], files: [{ name: 'a.txt', content: Buffer.from('a') }] });
    const [drop] = await list(client.user);
    const [reference = ''] = /WB-[0-9A-Z]{4}-[0-9A-Z]{4}/.exec((await waitForMail(to)).email.text ?? '') ?? [];
    const found = await adminJson<{ id: string; account: string }[]>(['drops', 'find', reference, '--json']);
    expect(found).toMatchObject([{ id: drop?.id, account: client.user }]);
    expect((await admin(['drops', 'find', reference.toLowerCase()])).stdout).toContain(drop?.id);
    const wrong = await admin(['drops', 'find', 'WB-7F3K']);
    expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('such as WB-7F3K-29QD') });
  });

  test('showing one of another account fails', async () => {
    const other = await freshClient('other');
    const [drop] = await list(sender.user);
    const message = `${other.user} has no drop ${drop?.id}.`;
    const words = ['drops', 'show', drop?.id ?? '', '--account', other.user];
    expect(await admin(words)).toEqual({ exitCode: 1, stdout: '', stderr: `waybilld: ${message}\n` });
    const { exitCode, stdout, stderr } = await admin([...words, '--json']);
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(JSON.parse(stderr)).toEqual({ status: 'error', code: 'not_found', message });
  });
});
