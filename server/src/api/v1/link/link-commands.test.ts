// `waybill get` and `waybill give`, the real command against the real server.
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parsePolicy, verifyReceipt } from '@waybill/evidence';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from '../../../../../client/src/command/run.ts';
import { fakeTerminal } from '../../../../../client/src/testing/fake-terminal.ts';
import { openRequestLink, readyFile } from '../../../../test/file-requests.ts';
import { deriveToken, sentLink } from '../../../../test/links.ts';
import { useTestServer } from '../../../../test/use-test-server.ts';
import { makeLogPolicy } from '../../../domain/evidence/public-log.ts';
import { Sequencer } from '../../../domain/evidence/sequencer.ts';
import { deriveCode } from '../../../domain/links/issue-code.ts';
import type { Link } from '../../../domain/links/link-store.ts';
import { checkUpload } from '../../../domain/uploads/check-upload.ts';

const { exchange, app } = await useTestServer();
const { engines } = exchange;
const { query } = exchange.database;
const origin = await app.listen({ port: 0, host: '127.0.0.1' });

const sequencer = new Sequencer(engines);
const live = new AbortController().signal;

/** Checks what was uploaded, and logs what happened, as the workers do. */
const checking = setInterval(() => {
  const check = async () => {
    await sequencer.step(live);
    const rows = await query<{ id: string; account_id: string }>(
      "select id, account_id from uploads where state = 'checking'",
    );
    for (const { id, account_id: account } of rows) {
      await checkUpload(engines, account, id, new AbortController().signal);
    }
  };
  check().catch(() => undefined);
}, 100);
afterAll(() => clearInterval(checking));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waybill-links-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function waybill(words: string[], input = '') {
  const terminal = fakeTerminal(folder, {}, input);
  const exit = await run(terminal, words, new AbortController().signal, '1.2.3');
  return { exit, printed: terminal.output.text, errors: terminal.errors.text };
}

const toDownload = (token: string) => `${origin}/d/${token}`;

async function requestLink() {
  const { actor, link } = await openRequestLink(exchange);
  const token = await deriveToken(exchange, actor, link.dropId, 0);
  return { actor, link, url: `${origin}/u/${token}` };
}

const readOpened = async ({ dropId }: Pick<Link, 'dropId'>) =>
  (await query('select from links where drop_id = $1 and opened_at is not null', [dropId])).length > 0;

/** Every file that the account of a request has got, once for each time. */
const readReceived = async ({ accountId }: Pick<Link, 'accountId'>) =>
  (
    await query<{ path: string }>(
      `select coalesce(files.path, files.name) as path from files join drops on drops.account_id = files.account_id
         and drops.id = files.drop_id where files.account_id = $1 and drops.type = 'receivedfiles' order by 1`,
      [accountId],
    )
  ).map(({ path }) => path);

/** The newest code of a link. */
async function readCode({ accountId, dropId }: Link): Promise<string> {
  const [row] = await query<{ code_id: string }>(
    'select code_id from link_sessions where drop_id = $1 and code_id is not null order by code_expires_at desc limit 1',
    [dropId],
  );
  const key = await engines.store.links.key({ accountId, dropId });
  if (!row || !key) throw new Error('no code');
  return deriveCode(await engines.dayKeys.unwrap(key.wrapped, key.day, dropId), row.code_id);
}

describe('links that open nothing', () => {
  const token = randomBytes(32).toString('base64url');
  const cases: [what: string, link: () => Promise<string>, exit: number, message: RegExp, next: RegExp][] = [
    ['a wrong one', async () => toDownload(token), 4, /does not know this link/, /ask its sender for a new one/],
    ['one that was cut', async () => toDownload(token.slice(0, 20)), 2, /not complete/, /Copy it from the mail/],
    [
      'an expired one',
      async () => {
        const sent = await sentLink(exchange, ['a.txt']);
        await exchange.expire(sent.dropId);
        return toDownload(sent.token);
      },
      4,
      /The link has expired/,
      /Ask \S+@\S+ for a new one, and name the reference WB-/,
    ],
    [
      'a revoked one',
      async () => {
        const sent = await sentLink(exchange, ['a.txt']);
        await engines.store.drops.revoke(sent.sender.accountId, sent.dropId);
        return toDownload(sent.token);
      },
      4,
      /The link was revoked/,
      /Ask \S+@\S+ for a new one/,
    ],
    ['one for sending', async () => (await requestLink()).url, 2, /is for sending files/, /waybill give/],
    ['a stop link', async () => `${origin}/m/${token}`, 2, /stops the mails/, /further up in the mail/],
    ['a public page', async () => `${origin}/to/acme`, 2, /public page/, /browser/],
    [
      'the address of an open page',
      async () => `${origin}/download/abcdefghijklmnop/`,
      2,
      /browser has opened/,
      /in the mail/,
    ],
    ['no link', async () => 'report.pdf', 2, /not a link/, /Copy it from the mail/],
    ['plain HTTP', async () => `http://files.example.org/d/${token}`, 2, /would send the link unencrypted/, /https/],
    [
      'a token of the other kind',
      async () => {
        const { url } = await requestLink();
        return url.replace('/u/', '/d/');
      },
      4,
      /does not know this link/,
      /copied whole/,
    ],
  ];
  test.each(cases)('%s', async (_what, makeLink, exit, message, next) => {
    const link = await makeLink();
    const result = await waybill(['get', link, '--to', folder]);
    expect(result).toMatchObject({ exit, printed: '' });
    expect(result.errors).toMatch(message);
    expect(result.errors.replaceAll(/\s+/g, ' ')).toMatch(next);
    // Messages end up in logs.
    expect(result.errors).not.toContain(link.split('/').at(-1)?.padEnd(20, '?'));
    expect(readdirSync(folder).filter((name) => name !== '.local')).toEqual([]);
  });
});

describe('get', () => {
  test('downloads the files of a link from a file or standard input, once', async () => {
    const { token, link, sender } = await sentLink(exchange, ['a.txt', 'b.txt']);
    writeFileSync(join(folder, 'link.txt'), `${toDownload(token)}\n`);
    const result = await waybill(['get', '--link-file', join(folder, 'link.txt'), '--to', join(folder, 'in')]);
    expect(result).toMatchObject({ exit: 0, errors: '' });
    expect(result.printed).toContain(`${sender.email} sent 2 files`);
    expect(readFileSync(join(folder, 'in/a.txt'), 'utf8')).toBe('content of a.txt');
    expect(readdirSync(join(folder, 'in'))).toEqual(['a.txt', 'b.txt']);
    const isCompleted = async () =>
      (await query('select from links where drop_id = $1 and completed_at is not null', [link.dropId])).length;
    await expect.poll(isCompleted, { timeout: 10_000 }).toBe(1);
    expect(await query('select from link_sessions where drop_id = $1', [link.dropId])).toHaveLength(0);

    const again = await waybill(['--json', 'get', '-', '--to', join(folder, 'in')], `${toDownload(token)}\n`);
    const lines = again.printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ status }) => status)).toEqual(['opened', 'present', 'present', 'completed']);
  });

  test('stores a receipt that proves the delivery, as that of the page does', async () => {
    const { token, link } = await sentLink(exchange, ['a.txt', 'b.txt']);
    const path = join(folder, 'receipt.json');
    const result = await waybill(['get', toDownload(token), '--to', folder, '--receipt', path]);
    // It may say that it tries again until the delivery is in the log.
    expect(result).toMatchObject({ exit: 0 });
    const verified = await verifyReceipt(readFileSync(path), parsePolicy(await makeLogPolicy(engines)));
    expect(verified).toMatchObject({ isValid: true });
    const kinds = await query<{ kind: string }>(
      'select kind from evidence_entries where drop_id = $1 and position = 0 order by sequence',
      [link.dropId],
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['link.opened', 'content.handed_over', 'content.handed_over']),
    );
  });

  test('continues a part, and leaves other files of the same name alone', async () => {
    const { token, link } = await sentLink(exchange, ['a.txt']);
    const [file] = await engines.store.links.files(link);
    writeFileSync(join(folder, `.waybill-${file?.id}.part`), 'content o');
    writeFileSync(join(folder, 'a.txt'), 'of somebody else');
    expect(await waybill(['get', toDownload(token), '--to', folder])).toMatchObject({ exit: 0 });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('of somebody else');
    expect(readFileSync(join(folder, 'a (2).txt'), 'utf8')).toBe('content of a.txt');
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  test('asks for a code that another run can enter', async () => {
    const { token, link } = await sentLink(exchange, ['a.txt']);
    await query("update drops set second_factor = 'mail' where id = $1", [link.dropId]);
    const words = ['get', toDownload(token), '--to', folder];
    const first = await waybill(words);
    expect([first.exit, first.errors]).toEqual([4, expect.stringContaining('A code was sent by mail to r•••@')]);
    const right = await readCode(link);
    const wrong = await waybill([...words, '--code', String((Number(right) + 1) % 1_000_000).padStart(6, '0')]);
    expect([wrong.exit, wrong.errors]).toEqual([4, expect.stringContaining('4 tries are left.')]);
    expect(await waybill([...words, '--code', 'abc'])).toMatchObject({ exit: 4 });
    writeFileSync(join(folder, 'code'), `${right}\n`);
    expect(await waybill([...words, '--code-file', join(folder, 'code')])).toMatchObject({ exit: 0, errors: '' });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('content of a.txt');
    // One code was sent, and the session is over.
    expect(await query("select from messages where drop_id = $1 and kind = 'code'", [link.dropId])).toHaveLength(1);
    expect(readdirSync(join(folder, '.local/state/waybill/links'))).toEqual([]);
  });
});

describe('give', () => {
  const write = (name: string, content: string | Buffer) => {
    const path = join(folder, name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
    return path;
  };

  test('sends files and folders with a message, once however often it is run', async () => {
    const { link, url } = await requestLink();
    const paths = [write('a.txt', 'one'), join(folder, 'drawings')];
    write('drawings/plan.txt', 'two');
    const first = await waybill(['give', url, ...paths, '-m', 'Here.']);
    expect(first).toMatchObject({ exit: 0, errors: '' });
    expect(first.printed).toContain('Sent 2 files');
    const second = await waybill(['--json', 'give', url, ...paths, '-m', 'Here.']);
    expect(JSON.parse(second.printed)).toMatchObject({ status: 'sent', repeated: true, files: 2 });
    expect(await readReceived(link)).toEqual(['a.txt', 'drawings/plan.txt']);
    await query('update drops set reusable = true where id = $1', [link.dropId]);
    expect(await waybill(['give', url, ...paths, '--again'])).toMatchObject({ exit: 0 });
    expect(await readReceived(link)).toHaveLength(4);
  });

  test('delivers each file once although it is killed at any moment', async () => {
    const { link, url } = await requestLink();
    const paths = [write('small.txt', 'small'), write('large.bin', randomBytes(30_000_000))];
    const command = fileURLToPath(new URL('../../../../../client/src/command/main.ts', import.meta.url));
    const begin = () =>
      spawn(process.execPath, ['--conditions=source', command, 'give', url, ...paths], {
        env: { PATH: process.env['PATH'], HOME: folder },
        stdio: 'ignore',
      });
    const received = async () => {
      const [row] = await query<{ bytes: number }>(
        'select coalesce(sum(received_bytes), 0)::float8 as bytes from uploads where account_id = $1',
        [link.accountId],
      );
      return row?.bytes ?? 0;
    };
    const doomed = begin();
    await expect.poll(received, { timeout: 60_000, interval: 5 }).toBeGreaterThan(8_000_000);
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    expect(await readReceived(link)).toEqual([]);
    const uploadsBefore = await query('select id from uploads where account_id = $1', [link.accountId]);
    const second = begin();
    const [code] = await once(second, 'exit');
    expect(code).toBe(0);
    expect(await readReceived(link)).toEqual(['large.bin', 'small.txt']);
    // The upload was continued, and not begun again.
    const files = await query<{ id: string }>('select id from files where account_id = $1', [link.accountId]);
    for (const { id } of uploadsBefore as { id: string }[]) expect(files.map((file) => file.id)).toContain(id);
    // As after a kill between the sending and its response.
    expect(await waybill(['give', url, ...paths])).toMatchObject({ exit: 0 });
    expect(await readReceived(link)).toHaveLength(2);
  }, 180_000);

  test('uploads a file anew that is not the one whose upload was interrupted', async () => {
    const { link, url } = await requestLink();
    await readyFile(engines, link, 'a.txt', 'first');
    expect(await waybill(['give', url, write('a.txt', 'later')])).toMatchObject({ exit: 0 });
    const [file] = await query<{ sha256: Buffer }>(
      'select sha256 from files where account_id = $1 and drop_id is not null',
      [link.accountId],
    );
    expect(file?.sha256.toString('hex')).toBe(createHash('sha256').update('later').digest('hex'));
    expect(await readReceived(link)).toEqual(['a.txt']);
  });

  test('does not send what somebody else has uploaded through the link, unless it is told to delete it', async () => {
    const { link, url } = await requestLink();
    await readyFile(engines, link, 'left.txt', 'left');
    const path = write('a.txt', 'one');
    const refused = await waybill(['give', url, path]);
    expect([refused.exit, refused.errors]).toEqual([4, expect.stringContaining('left.txt')]);
    expect(refused.errors).toContain('--discard-others');
    expect(await waybill(['give', url, path, '--discard-others'])).toMatchObject({ exit: 0 });
    expect(await readReceived(link)).toEqual(['a.txt']);
  });

  test.each<[string, (link: Link) => Promise<unknown>, RegExp]>([
    ['expired', ({ dropId }) => exchange.expire(dropId), /The link has expired/],
    ['revoked', ({ accountId, dropId }) => engines.store.drops.revoke(accountId, dropId), /The link was revoked/],
    [
      'used',
      async ({ accountId, dropId }) =>
        query('update links set completed_at = now() where account_id = $1 and drop_id = $2', [accountId, dropId]),
      /takes no more/,
    ],
  ])('says what to do with a link that is %s', async (_state, end, message) => {
    const { link, url } = await requestLink();
    await query('update drops set reusable = false where id = $1', [link.dropId]);
    await end(link);
    const { exit, errors } = await waybill(['give', url, write('a.txt', 'one')]);
    expect([exit, errors]).toEqual([4, expect.stringMatching(message)]);
    expect(errors).toMatch(/Ask /);
    expect(await readReceived(link)).toEqual([]);
  });

  test('refuses a link for downloading, no files and standard input before it opens anything', async () => {
    const { token, link } = await sentLink(exchange, ['a.txt']);
    const { url, link: request } = await requestLink();
    const path = write('a.txt', 'one');
    expect(await waybill(['give', toDownload(token), path])).toMatchObject({
      exit: 2,
      errors: expect.stringContaining('waybill get LINK'),
    });
    expect(await waybill(['give', url])).toMatchObject({ exit: 2 });
    expect(await waybill(['give', url, '-'])).toMatchObject({ exit: 2 });
    expect(await waybill(['give', url, join(folder, 'missing.txt')])).toMatchObject({ exit: 1 });
    expect([await readOpened(link), await readOpened(request)]).toEqual([false, true]);
  });
});
