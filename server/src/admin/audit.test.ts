import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseCsv } from '@waybill/protocol';
import { describe, expect, test, vi } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import { runAdmin } from '../../test/run-admin.ts';
import type { AuditFilter, NewAuditEntry } from '../domain/audit/audit-store.ts';
import { commandAuthor, keyAuthor } from '../domain/audit/author.ts';
import { followEntries } from '../domain/audit/follow-audit.ts';
import { record, serverAccountId } from '../domain/audit/record.ts';
import { matchesFilter } from '../domain/audit/to-audit-json.ts';
import { toReference } from '../domain/reference.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { audit } = engines.store;

interface Shown {
  readonly action: string;
  readonly cursor: string;
  readonly actor: { readonly id: string; readonly address: string };
  readonly reference: string | null;
  readonly details: { readonly number?: number };
}

const list = async (...words: string[]) =>
  JSON.parse(await runAdmin(exchange, 'audit', 'list', ...words, '--json')) as Shown[];
const numbers = (entries: readonly { details: { number?: unknown } }[]) => entries.map(({ details }) => details.number);

/** Writes entries of a new account, numbered in their details. */
async function write(...entries: Partial<NewAuditEntry>[]) {
  const accountId = randomUUID();
  const author = keyAuthor(randomUUID(), 'orders@example.org', '192.0.2.17');
  for (const [number, { details, ...entry }] of entries.entries()) {
    const change = { accountId, author, action: 'drop.created', details: { number, ...details }, ...entry } as const;
    await engines.store.transaction((tx) => record(engines, tx, change));
  }
  return { accountId, author };
}

describe('audit list', () => {
  test('finds entries by each filter, newest first, and by all of them together', async () => {
    const dropId = randomUUID();
    const email = `${randomUUID()}@example.org`;
    const address = '2001:db8::9';
    const other = keyAuthor(randomUUID(), 'other@example.org', address);
    const { accountId, author } = await write(
      {},
      { details: { dropId } },
      { addresses: ['someone@example.org', email] },
      { action: 'hold.placed' },
      { author: other },
      { author: other, action: 'hold.released', addresses: [email], details: { dropId } },
    );
    const account = ['--account', accountId];
    expect(numbers(await list(...account))).toEqual([5, 4, 3, 2, 1, 0]);
    expect(numbers(await list('--reference', toReference(dropId)))).toEqual([5, 1]);
    expect(numbers(await list('--address', email.toUpperCase()))).toEqual([5, 2]);
    expect(numbers(await list(...account, '--address', address))).toEqual([5, 4]);
    expect(numbers(await list(...account, '--address', '2001:0DB8:0:0::9'))).toEqual([5, 4]);
    expect(numbers(await list('--actor', author.id))).toEqual([3, 2, 1, 0]);
    expect(numbers(await list(...account, '--kind', 'hold.*'))).toEqual([5, 3]);
    expect(numbers(await list(...account, '--kind', 'hold.placed'))).toEqual([3]);
    expect(numbers(await list('--kind', 'hold.*', '--actor', other.id))).toEqual([5]);
    expect(numbers((await list('--kind', 'hold.*')).slice(0, 2))).toEqual([5, 3]);
    expect(numbers(await list(...account, '--address', email, '--kind', 'hold.*', '--since', '2020-01-01'))).toEqual([
      5,
    ]);
    expect(await list(...account, '--until', '2020-01-01')).toEqual([]);
    expect((await list('--reference', toReference(dropId)))[0]).toMatchObject({
      reference: toReference(dropId),
      actor: { kind: 'key', id: other.id, address },
    });
  });

  test('is read page by page, without gap or repetition', async () => {
    const { accountId } = await write({}, {}, {}, {}, {});
    const pages: Shown[][] = [];
    using said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    for (let after: string[] = []; pages.at(-1)?.length !== 0; ) {
      const page = await list('--account', accountId, '--limit', '2', ...after);
      pages.push(page);
      after = ['--after', page.at(-1)?.cursor ?? ''];
      if (page.length === 2) expect(said).toHaveBeenLastCalledWith(`There may be more: --after ${page[1]?.cursor}\n`);
    }
    expect(pages.map(numbers)).toEqual([[4, 3], [2, 1], [0], []]);
  });

  test('names a person and the keys of an account by their address, and those who are unknown', async () => {
    const owner = await exchange.account();
    const key = keyAuthor(owner.key.id, owner.email);
    await write({ author: key });
    expect(await list('--actor', owner.email)).toMatchObject([{ actor: { id: owner.key.id } }]);
    const unknown = list('--actor', 'nobody@example.org');
    await expect(unknown).rejects.toThrow('Nobody with the address nobody@example.org is known here.');
    await expect(list('--kind', 'drop.lost')).rejects.toThrow('There is no such action.');
    await expect(list('--address', 'nowhere')).rejects.toThrow('Use a network address');
  });

  test('shows a person one line for each, in which nothing controls the terminal', async () => {
    const author = { ...commandAuthor({ user: 'anna' }), name: 'admin\u001B[2J' };
    const { accountId } = await write({
      author,
      action: 'account.changed',
      before: { displayName: 'Old' },
      after: { displayName: '\u202Enew' },
    });
    const line = await runAdmin(exchange, 'audit', 'list', '--account', accountId);
    expect(line).toMatch(/^\S+Z {2}account\.changed {2}by command anna \(admin\\u001b\[2J\) {2}\{"number":0\} {2}/);
    expect(line).toContain('{"displayName":"Old"} → {"displayName":"\\u202enew"}\n');
  });

  test('has the changes of the server under their own name', async () => {
    await engines.store.transaction((tx) =>
      record(engines, tx, {
        accountId: serverAccountId,
        author: commandAuthor({ user: 'x' }),
        action: 'group.created',
      }),
    );
    expect(await list('--account', 'server', '--kind', 'group.created')).toMatchObject([{ account: null }]);
  });
});

describe('audit export', () => {
  test('writes a file that only its owner can read, oldest first, and never over another one', async () => {
    const { accountId } = await write({}, { details: { number: 1, name: '=1+1' } }, {});
    const folder = await mkdtemp(join(tmpdir(), 'waybill-audit-'));
    const run = (format: string, path: string) =>
      runAdmin(exchange, 'audit', 'export', '--account', accountId, '--format', format, '--output', path);
    const lines = join(folder, 'audit.jsonl');
    await run('jsonl', lines);
    const written = (await readFile(lines, 'utf8')).trim().split('\n');
    expect(numbers(written.map((line) => JSON.parse(line) as Shown))).toEqual([0, 1, 2]);
    expect((await stat(lines)).mode & 0o777).toBe(0o600);
    await expect(run('csv', lines)).rejects.toThrow(`${lines} cannot be written: it exists already.`);
    await expect(run('csv', join(folder, 'none', 'audit.csv'))).rejects.toThrow('Create it first.');
    const table = join(folder, 'audit.csv');
    await run('csv', table);
    const records = parseCsv(await readFile(table, 'utf8'));
    if (!Array.isArray(records)) throw new Error('The table is broken.');
    expect(records.map(({ fields }) => fields[8])).toEqual(['action', 'drop.created', 'drop.created', 'drop.created']);
    expect(records.flatMap(({ fields }) => fields).filter((field) => /^[=+@-]/.test(field))).toEqual([]);
  });

  test('needs no more memory than a page of entries', async () => {
    const { accountId } = await write({}, {}, {});
    const pages = vi.spyOn(audit, 'search');
    const text = await runAdmin(exchange, 'audit', 'export', '--account', accountId);
    expect(text.trim().split('\n')).toHaveLength(3);
    for (const [, { count }] of pages.mock.calls) expect(count).toBe(1_000);
  });
});

describe('audit follow', () => {
  test('yields what is committed later, in order and by the same filters, until it is stopped', async () => {
    const stopped = new AbortController();
    const author = keyAuthor(randomUUID(), 'followed@example.org');
    const filter: AuditFilter = { authorIds: [author.id], actions: ['hold.placed'] };
    const found = followEntries(engines, filter, { signal: stopped.signal, pollMs: 10 });
    const first = found.next();
    // The position is read before the first entry is waited for.
    await vi.waitFor(() => expect(follow).toHaveBeenCalled());
    await write({ author }, { author, action: 'hold.placed' }, { author, action: 'hold.placed' });
    expect((await first).value?.details).toEqual({ number: 1 });
    expect((await found.next()).value?.details).toEqual({ number: 2 });
    stopped.abort();
    expect(await found.next()).toMatchObject({ done: true });
  }, 120_000);
  const follow = vi.spyOn(audit, 'follow');

  test('agrees with the search about every filter', async () => {
    const dropId = randomUUID();
    const { accountId, author } = await write(
      { details: { dropId }, addresses: ['a@example.org'] },
      { action: 'hold.placed', addresses: ['b@example.org'] },
    );
    const all = await audit.search({ accountId }, { order: 'oldest first', after: undefined, count: 10 });
    const later = new Date(Date.now() + 86_400_000);
    const filters: AuditFilter[] = [
      {},
      { authorIds: [author.id] },
      { authorIds: ['nobody'] },
      { dropIdEnd: dropId.slice(-10) },
      { networkAddress: '192.0.2.17' },
      { networkAddress: '192.0.2.18' },
      { mailAddress: 'b@example.org' },
      { actions: ['hold.placed', 'hold.released'] },
      { since: later },
      { until: later },
      { since: all[1]?.at, until: later },
    ];
    for (const filter of filters) {
      const found = await audit.search(
        { ...filter, accountId },
        { order: 'oldest first', after: undefined, count: 10 },
      );
      expect(found.map(({ id }) => id)).toEqual(
        all.filter((entry) => matchesFilter(entry, filter)).map(({ id }) => id),
      );
    }
  });
});
