import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FakeExchange } from '../../testing/fake-exchange.ts';
import { fakeTerminal } from '../../testing/fake-terminal.ts';
import { runOnSmallDisk } from '../../testing/small-disk.ts';
import { run } from '../run.ts';
import { WatchJournal } from './watch-journal.ts';

let home: string;
let folder: string;
let exchange: FakeExchange;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'client-watch-'));
  folder = join(home, 'out');
  mkdirSync(folder);
  exchange = await FakeExchange.start();
});
afterEach(async () => {
  await exchange[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

const never = new AbortController().signal;
const day = '2030-01-24';

async function watch(words: readonly string[], signal = never, user = 'alpha@machines.test') {
  const terminal = fakeTerminal(home, {
    WAYBILL_URL: exchange.server.baseUrl,
    WAYBILL_USER: user,
    WAYBILL_API_KEY: 'wb_key',
  });
  const exit = await run(terminal, ['watch', folder, '--settle', '0', ...words], signal, '1');
  return { exit, output: terminal.output.text, errors: terminal.errors.text };
}

const once = async (...words: string[]) => await watch(['--to', 'a@example.org', '--once', ...words]);

/** Runs until the server gets a request, whose fate is given, and stops as a crash would: nothing more is sent. */
async function stopAt(wanted: string, fate: 'response lost' | 'not arrived', before = () => {}) {
  const stopped = new AbortController();
  exchange.fate = ({ method, path }) => {
    if (`${method} ${path}` !== wanted) return 'responded';
    before();
    stopped.abort();
    return fate;
  };
  const { exit } = await watch(['--to', 'a@example.org', '--once'], stopped.signal);
  exchange.fate = () => 'responded';
  expect(exit).toBe(130);
}

function put(path: string, content: string = path): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
}

const list = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('.waybill/'))
    .toSorted();
const held = () => list().filter((path) => path.startsWith('sending/'));
const heldPath = () => join(folder, held()[0] ?? '');
const heldFile = () => join(folder, held().find((path) => !path.endsWith('.marker')) ?? '');
const read = (path: string) => readFileSync(join(folder, path), 'utf8');
const readNote = (path: string) => JSON.parse(read(path)) as Record<string, unknown>;
const sent = () => exchange.drops.map(({ files, contents }) => [files.join(), contents.join()]);
const failedDay = () => readdirSync(join(folder, 'failed'))[0] ?? '';
const parse = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a file that is sent', () => {
  test('is moved away, with a receipt beside it', async () => {
    put('report.csv', 'a,b');
    const { exit, output, errors } = await once(
      '--json',
      '-m',
      'The report.',
      '--days',
      '3',
      '--external-id',
      'order-1',
    );
    expect({ exit, errors }).toEqual({ exit: 0, errors: '' });
    expect(exchange.drops.map(({ request }) => request)).toMatchObject([
      { receivers: [{ email: 'a@example.org' }], message: 'The report.', expires_in: 259_200, external_id: 'order-1' },
    ]);
    expect(list()).toEqual([`sent/${day}/report.csv`, `sent/${day}/report.csv.receipt.json`]);
    expect(read(`sent/${day}/report.csv`)).toBe('a,b');
    const receipt = {
      status: 'sent',
      file: 'report.csv',
      size: 3,
      sha256: createHash('sha256').update('a,b').digest('hex'),
      to: ['a@example.org'],
      reference: 'WB-0000-0001',
      sent_at: '2030-01-24T12:00:00.000Z',
    };
    expect(readNote(`sent/${day}/report.csv.receipt.json`)).toMatchObject(receipt);
    expect(parse(output)).toMatchObject([{ ...receipt, path: join(folder, `sent/${day}/report.csv`) }]);
    expect((await once()).output).toBe('');
    expect(exchange.drops).toHaveLength(1);
    expect(readdirSync(join(folder, 'sending'))).toEqual([]);
  });

  test('has no link in its receipt or in the output', async () => {
    put('report.csv');
    const { output } = await once('--json', '--no-mail');
    expect(exchange.drops[0]?.request.notify).toBe(false);
    expect(output + read(`sent/${day}/report.csv.receipt.json`)).not.toContain('https://');
  });

  test('replaces no other file, whatever the names', async () => {
    put('a.txt', 'one');
    put('a.txt.receipt.json', 'no receipt');
    expect((await once()).exit).toBe(0);
    put('a.txt', 'two');
    put(`sent/${day}/a (3).txt`, 'of somebody');
    expect((await once()).exit).toBe(0);
    put('a.txt', 'three');
    expect((await once()).exit).toBe(0);
    const kept = list().map(read);
    for (const content of ['one', 'two', 'three', 'no receipt', 'of somebody']) expect(kept).toContain(content);
    expect(exchange.drops).toHaveLength(4);
    const receipts = list().filter((path) => path.endsWith('.receipt.json') && read(path) !== 'no receipt');
    expect(receipts).toHaveLength(4);
    for (const path of receipts) expect(existsSync(join(folder, path.replace(/\.receipt\.json$/, '')))).toBe(true);
  });

  test('may have a name that leaves no room for that of a receipt', async () => {
    const name = `${'ä'.repeat(125)}.txt`;
    put(name);
    expect((await once()).exit).toBe(0);
    expect(read(`sent/${day}/${name}`)).toBe(name);
    expect(list()).toHaveLength(2);
  });
});

test('temporary, hidden and ignored names are not sent, and are not mentioned', async () => {
  const names = [
    '.hidden',
    'a.part',
    'b.TMP',
    'c.filepart',
    'd.crdownload',
    'e~',
    '~$f.docx',
    'g.draft.pdf',
    'Thumbs.db',
  ];
  for (const name of names) put(name);
  put('final.txt');
  expect(await once('--ignore', '*.draft.*')).toMatchObject({ exit: 0, errors: '' });
  expect(sent()).toEqual([['final.txt', 'final.txt']]);
  for (const name of names) expect(existsSync(join(folder, name))).toBe(true);
});

test('links are not followed, and folders not entered; both are reported', async () => {
  writeFileSync(join(home, 'secret'), 'secret');
  symlinkSync(join(home, 'secret'), join(folder, 'link'));
  put('sub/file.txt');
  const { exit, errors } = await once();
  expect(exit).toBe(8);
  expect(errors).toContain(`${join(folder, 'link')} is a symbolic link, and is not sent.`);
  expect(errors).toContain(`${join(folder, 'sub')} is a folder, and is not sent.`);
  expect(exchange.uploads.size + exchange.drops.length).toBe(0);
});

describe('with markers', () => {
  test('a file is sent once its marker exists, and both are gone then', async () => {
    put('a.txt');
    put('b.txt');
    put('b.txt.ready', '');
    expect(await once('--marker')).toMatchObject({ exit: 0, errors: '' });
    expect(sent()).toEqual([['b.txt', 'b.txt']]);
    expect(list()).toEqual(['a.txt', `sent/${day}/b.txt`, `sent/${day}/b.txt.receipt.json`]);
  });

  test('a file that was written after its marker is not sent', async () => {
    put('a.txt.ready', '');
    const changedNs = (path: string) => lstatSync(join(folder, path), { bigint: true }).ctimeNs;
    // A file system's clock may be coarse.
    do put('a.txt');
    while (changedNs('a.txt') <= changedNs('a.txt.ready'));
    const { exit, errors } = await once('--marker');
    expect(exit).toBe(8);
    expect(errors).toContain('is newer than its marker');
    expect(sent()).toEqual([]);
    put('a.txt.ready', 'again');
    expect((await once('--marker')).exit).toBe(0);
    expect(sent()).toEqual([['a.txt', 'a.txt']]);
  });
});

describe('a file with a marker that changes after it was looked at', () => {
  const marked = ['--by-folder', '--once', '--marker'];

  test.each(['drops/check', 'uploads'])('is moved back without the marker: %s', async (wanted) => {
    put('a@example.org/a.txt', 'half');
    put('a@example.org/a.txt.ready', '');
    exchange.fate = ({ path }) => {
      if (path === wanted)
        appendFileSync(wanted === 'uploads' ? heldFile() : join(folder, 'a@example.org/a.txt'), ', more');
      return 'responded';
    };
    const { exit, errors } = await watch(marked);
    exchange.fate = () => 'responded';
    expect({ exit, list: list() }).toEqual({ exit: 8, list: ['a@example.org/a.txt'] });
    expect(errors).toContain('Create the marker again.');
    expect(await watch(marked)).toMatchObject({ exit: 0 });
    expect(sent()).toEqual([]);
    put('a@example.org/a.txt.ready', '');
    expect((await watch(marked)).exit).toBe(0);
    expect(sent()).toEqual([['a.txt', 'half, more']]);
  });
});

describe('a file to which somebody still writes', () => {
  test('is not sent half: after the claim, it is sent when it stays the same', async () => {
    put('a.txt', 'half');
    exchange.fate = ({ method, path }) => {
      if (`${method} ${path}` === 'POST uploads') appendFileSync(heldPath(), ', whole');
      return 'responded';
    };
    const { exit, errors } = await once();
    expect({ exit, drops: sent() }).toEqual({ exit: 8, drops: [] });
    expect(errors).toContain('a.txt changed while it was being sent, so it was not sent.');
    expect(exchange.uploads.size).toBe(0);
    exchange.fate = () => 'responded';
    expect((await once()).exit).toBe(0);
    expect(sent()).toEqual([['a.txt', 'half, whole']]);
  });

  test('is not sent half if the watch was killed between the upload and the drop', async () => {
    put('a.txt', 'half');
    await stopAt('POST drops', 'not arrived');
    expect(exchange.uploads.size).toBe(1);
    appendFileSync(heldPath(), ', whole');
    expect((await once()).exit).toBe(8);
    expect([...exchange.uploads.values()]).toEqual([]);
    expect((await once()).exit).toBe(0);
    expect(sent()).toEqual([['a.txt', 'half, whole']]);
  });

  test('is not sent again if the drop was created', async () => {
    put('a.txt', 'whole');
    await stopAt('POST drops', 'response lost');
    appendFileSync(heldPath(), ', and later');
    expect((await once()).exit).toBe(0);
    expect(sent()).toEqual([['a.txt', 'whole']]);
  });
});

describe('after a crash', () => {
  test.each([
    ['POST uploads', 'not arrived'],
    ['POST uploads', 'response lost'],
    ['POST drops', 'not arrived'],
    ['POST drops', 'response lost'],
  ] as const)('at %s, %s, the file is sent once, with its first options', async (wanted, fate) => {
    put('a.txt');
    await stopAt(wanted, fate);
    expect(held()).toHaveLength(1);
    expect(await once('-m', 'Another message.')).toMatchObject({ exit: 0, errors: '' });
    expect(exchange.drops).toHaveLength(1);
    expect(exchange.drops[0]?.request.message).toBeUndefined();
    expect(held()).toEqual([]);
    expect(read(`sent/${day}/a.txt`)).toBe('a.txt');
  });

  const idOf = (path: string) => path.split('/')[1] ?? '';

  test('before the rename, the file is claimed anew', async () => {
    put('a.txt');
    await stopAt('POST uploads', 'not arrived');
    const [path = ''] = held();
    renameSync(join(folder, path), join(folder, 'a.txt'));
    expect(await once()).toMatchObject({ exit: 0, errors: '' });
    expect(exchange.drops).toHaveLength(1);
    expect(readdirSync(join(folder, 'sending'))).toEqual([]);
  });

  test.each([
    ['without another marker', false],
    ['with another marker if it has changed since', true],
  ])('between the renames of a marker and its file, the file is claimed %s', async (_how, isChanged) => {
    put('a.txt');
    put('a.txt.ready');
    await once('--marker', '--settle', '0');
    put('b.txt');
    put('b.txt.ready');
    const stopped = new AbortController();
    exchange.fate = ({ method, path }) => {
      if (`${method} ${path}` === 'POST uploads') stopped.abort();
      return 'responded';
    };
    await watch(['--to', 'a@example.org', '--marker', '--once'], stopped.signal);
    const path = held().find((one) => one.endsWith('b.txt')) ?? '';
    renameSync(join(folder, path), join(folder, 'b.txt'));
    expect(held().map((one) => one.split('/')[2])).toEqual(['.marker']);
    exchange.fate = () => 'responded';
    if (isChanged) {
      put('b.txt', 'changed');
      const { exit, errors } = await once('--marker');
      expect({ exit, sent: sent().length }).toEqual({ exit: 8, sent: 1 });
      expect(errors).toContain(`${join(folder, 'b.txt')} changed after its marker was created`);
      expect(errors).toContain('Create the marker again.');
      put('b.txt.ready');
    }
    expect((await once('--marker')).exit).toBe(0);
    expect(sent().map(([name]) => name)).toEqual(['a.txt', 'b.txt']);
    expect(held()).toEqual([]);
  });

  test('while it is moved to what was sent, it is in one place and was sent once', async () => {
    put('a.txt');
    await stopAt('POST drops', 'response lost');
    const [path = ''] = held();
    // The last steps: the note is there, and the file has both names.
    mkdirSync(join(folder, 'sent', day), { recursive: true });
    put(`sent/${day}/a.txt.receipt.json`, `{ "idempotency_key": "${idOf(path)}" }`);
    linkSync(join(folder, path), join(folder, 'sent', day, 'a.txt'));
    expect((await once()).exit).toBe(0);
    expect(list()).toEqual([`sent/${day}/a.txt`, `sent/${day}/a.txt.receipt.json`]);
    expect(exchange.drops).toHaveLength(1);
  });

  test('after it was moved, the file is only taken from the journal', async () => {
    put('a.txt');
    await stopAt('POST drops', 'response lost');
    const [path = ''] = held();
    mkdirSync(join(folder, 'sent', day), { recursive: true });
    const note = { status: 'sent', file: 'a.txt', size: 5, to: [], sent_at: day, idempotency_key: idOf(path) };
    put(`sent/${day}/a.txt.receipt.json`, JSON.stringify(note, undefined, 2));
    renameSync(join(folder, path), join(folder, 'sent', day, 'a.txt'));
    rmSync(join(folder, dirname(path)), { recursive: true });
    const database = new DatabaseSync(join(folder, '.waybill/watch.db'));
    database.prepare(`update files set state = 'sent', outcome = ?`).run(JSON.stringify(note));
    database.close();
    expect(await once()).toMatchObject({ exit: 0, errors: '' });
    expect(list()).toEqual([`sent/${day}/a.txt`, `sent/${day}/a.txt.receipt.json`]);
    expect(readdirSync(join(folder, 'sending'))).toEqual([]);
    expect(exchange.drops).toHaveLength(1);
  });

  test('that lasted for a week, the file is not sent a second time, but kept with the reason', async () => {
    put('a.txt');
    await stopAt('POST drops', 'response lost');
    const database = new DatabaseSync(join(folder, '.waybill/watch.db'));
    database.exec(`update files set keyUsedAt = keyUsedAt - ${7 * 86_400_000}`);
    database.close();
    const { exit, errors } = await once();
    expect(exit).toBe(8);
    expect(errors).toContain('a.txt may have been sent before, but no response said so.');
    expect(exchange.drops).toHaveLength(1);
    expect(readNote(`failed/${failedDay()}/a.txt.error.json`)).toMatchObject({ code: 'unknown_outcome' });
  });

  test('that lost the journal, what was being sent is reported and not sent', async () => {
    put('a.txt');
    await stopAt('POST drops', 'response lost');
    rmSync(join(folder, '.waybill'), { recursive: true });
    const { exit, errors } = await once();
    expect(exit).toBe(8);
    expect(errors).toContain('is not in the journal, and is not sent');
    expect(exchange.drops).toHaveLength(1);
    expect(held()).toHaveLength(1);
  });
});

describe('a file that is refused', () => {
  test('for good is moved to failed with the reason, and can be moved back', async () => {
    put('a.txt');
    put('b.txt');
    exchange.refuse = ({ path, headers }) =>
      path === 'uploads' && String(headers['content-disposition']).includes('a.txt')
        ? { status: 422, code: 'infected' }
        : undefined;
    const { exit, errors } = await once();
    expect(exit).toBe(8);
    expect(errors).not.toContain('move the file back');
    expect(sent()).toEqual([['b.txt', 'b.txt']]);
    const path = `failed/${failedDay()}/a.txt`;
    expect(readNote(`${path}.error.json`)).toMatchObject({
      status: 'failed',
      code: 'infected',
      to: ['a@example.org'],
      next: 'Do not send this file. Nothing was sent.',
    });
    exchange.refuse = () => undefined;
    renameSync(join(folder, path), join(folder, 'a.txt'));
    expect((await once()).exit).toBe(0);
    expect(sent()).toContainEqual(['a.txt', 'a.txt']);
  });

  test('for now stays where it is, and is sent once there is room', async () => {
    put('a.txt');
    exchange.refuse = ({ path }) => (path === 'uploads' ? { status: 413, code: 'storage_full' } : undefined);
    const { exit, errors } = await once();
    expect({ exit, held: held().length }).toEqual({ exit: 8, held: 1 });
    expect(errors).toContain('It is tried again by itself.');
    exchange.refuse = () => undefined;
    expect((await once()).exit).toBe(0);
    expect(sent()).toEqual([['a.txt', 'a.txt']]);
  });

  test('for now, while many others are too, keeps a bounded number of them claimed', async () => {
    for (let file = 0; file < 130; file += 1) put(`${file}.txt`);
    exchange.refuse = ({ path }) => (path === 'uploads' ? { status: 413, code: 'storage_full' } : undefined);
    expect((await once()).exit).toBe(8);
    expect(held().length).toBeGreaterThanOrEqual(100);
    expect(held().length).toBeLessThan(110);
    exchange.refuse = () => undefined;
    expect((await once()).exit).toBe(0);
    expect(exchange.drops).toHaveLength(130);
  });

  test('because the key is wrong ends the watch, and nothing is moved', async () => {
    put('a.txt');
    exchange.refuse = () => ({ status: 401, code: 'unauthorized' });
    expect((await watch(['--to', 'a@example.org'])).exit).toBe(3);
    expect(list()).toEqual(['a.txt']);
  });

  test('because of a receiver ends the watch at once', async () => {
    put('a.txt');
    expect((await watch(['--to', 'a@example.invalid'])).exit).toBe(4);
    expect(list()).toEqual(['a.txt']);
  });
});

describe('by folder', () => {
  const byFolder = async (...words: string[]) => await watch(['--by-folder', '--once', ...words]);

  test('each file is sent to the receiver whose name its folder has', async () => {
    put('a@example.org/one.txt');
    put('b@example.org/one.txt');
    expect(await byFolder()).toMatchObject({ exit: 0, errors: '' });
    const to = exchange.drops.map(({ request, contents }) => `${request.receivers[0]?.email} ${contents[0]}`);
    expect(to.toSorted()).toEqual(['a@example.org a@example.org/one.txt', 'b@example.org b@example.org/one.txt']);
    expect(list()).toContain(`sent/${day}/a@example.org/one.txt`);
    expect(existsSync(join(folder, 'a@example.org'))).toBe(true);
  });

  test('a folder of nobody, a refused receiver and a file in no folder are reported, and stay', async () => {
    put('partner/one.txt');
    put('a@example.invalid/two.txt');
    put('stray.txt');
    put('b@example.org/three.txt');
    const { exit, errors } = await byFolder();
    expect(exit).toBe(8);
    expect(errors).toContain(`${join(folder, 'partner')} is not the address of a receiver, and is not sent.`);
    expect(errors).toContain(`${join(folder, 'a@example.invalid')} is not sent: This is recipient_not_allowed.`);
    expect(errors).toContain(`${join(folder, 'stray.txt')} is in no folder of a receiver, and is not sent.`);
    expect(sent()).toEqual([['three.txt', 'b@example.org/three.txt']]);
    for (const path of ['partner/one.txt', 'a@example.invalid/two.txt', 'stray.txt']) expect(list()).toContain(path);
  });

  /** Runs something after the looks at the files, right before the first of them is claimed. */
  function beforeClaim(act: () => void) {
    let isDone = false;
    exchange.fate = ({ path }) => {
      if (path === 'drops/check' && !isDone) act();
      isDone ||= path === 'drops/check';
      return 'responded';
    };
  }

  test.each([[[]], [['--marker']]])(
    'a link in place of a folder that was looked at is not followed %j',
    async (words) => {
      put('b@example.org/one.txt');
      put('b@example.org/one.txt.ready');
      mkdirSync(join(home, 'private'));
      for (const name of ['one.txt', 'one.txt.ready']) writeFileSync(join(home, 'private', name), 'secret');
      beforeClaim(() => {
        renameSync(join(folder, 'b@example.org'), join(home, 'old'));
        symlinkSync(join(home, 'private'), join(folder, 'b@example.org'));
      });
      const { exit, errors } = await byFolder(...words);
      expect(exit).toBe(8);
      expect(errors).toContain(`${join(folder, 'b@example.org')} is not a folder.`);
      expect(readdirSync(join(home, 'private'))).toEqual(['one.txt', 'one.txt.ready']);
      expect(exchange.uploads.size + sent().length + held().length).toBe(0);
      expect((await byFolder(...words)).exit).toBe(8);
      expect(readdirSync(join(home, 'private'))).toHaveLength(2);
    },
  );

  test('a file in place of the one that was looked at is moved back, and looked at anew', async () => {
    put('b@example.org/one.txt', 'first');
    writeFileSync(join(home, 'other'), 'second');
    beforeClaim(() => renameSync(join(home, 'other'), join(folder, 'b@example.org/one.txt')));
    const { exit, errors } = await byFolder();
    expect({ exit, sent: sent() }).toEqual({ exit: 8, sent: [] });
    expect(errors).toContain(`${join(folder, 'b@example.org/one.txt')} was replaced after it was looked at`);
    expect(list()).toEqual(['b@example.org/one.txt']);
    expect(readdirSync(join(folder, 'sending'))).toEqual([]);
    expect((await byFolder()).exit).toBe(0);
    expect(sent()).toEqual([['one.txt', 'second']]);
  });

  test('a file that is moved back replaces none, and does not get through a link', async () => {
    for (const name of ['one.txt', 'two.txt']) put(`${name.slice(0, 3)}@example.org/${name}`);
    exchange.refuse = ({ path }) => (path === 'uploads' ? { status: 413, code: 'storage_full' } : undefined);
    await byFolder();
    exchange.refuse = () => undefined;
    for (const path of held()) {
      writeFileSync(join(home, 'other'), 'other');
      renameSync(join(home, 'other'), join(folder, path));
    }
    put('one@example.org/one.txt', 'new');
    mkdirSync(join(home, 'private'));
    rmSync(join(folder, 'two@example.org'), { recursive: true });
    symlinkSync(join(home, 'private'), join(folder, 'two@example.org'));
    expect((await byFolder('--settle', '100', '--marker')).exit).toBe(8);
    expect([read('one@example.org/one.txt'), read('one@example.org/one (2).txt')]).toEqual(['new', 'other']);
    expect(readdirSync(join(home, 'private'))).toEqual([]);
    expect(held().map((path) => path.split('/')[2])).toEqual(['two.txt']);
  });

  test('and one receiver for all cannot both be given, and one of them must be', async () => {
    expect((await byFolder('--to', 'a@example.org')).exit).toBe(2);
    expect(await watch(['--once'])).toMatchObject({ exit: 2, errors: expect.stringContaining('--by-folder') });
  });
});

test('a second watch of a folder is refused', async () => {
  using journal = await WatchJournal.open(folder, 'somebody');
  expect(journal).toBeDefined();
  const { exit, errors } = await once();
  expect(exit).toBe(5);
  expect(errors).toContain(`Another watch is running in ${folder}.`);
});

test('files of another account are not sent with the keys of this one', async () => {
  put('a.txt');
  await stopAt('POST drops', 'response lost');
  const other = await watch(['--to', 'a@example.org', '--once'], never, 'beta@machines.test');
  expect(other.exit).toBe(3);
  expect(other.errors).toContain('are being sent for another account: alpha@machines.test');
  expect(exchange.drops).toHaveLength(1);
});

test('a link in place of a folder of the watch is refused', async () => {
  mkdirSync(join(home, 'elsewhere'));
  symlinkSync(join(home, 'elsewhere'), join(folder, 'sent'));
  put('a.txt');
  expect((await once()).errors).toContain(`${join(folder, 'sent')} is not a folder.`);
  expect(list()).toContain('a.txt');
});

test('a watch sends what arrives, some at the same time, and ends with 0 when it is stopped', async () => {
  const stop = new AbortController();
  let [now, most] = [0, 0];
  exchange.fate = ({ method, path }) => {
    if (`${method} ${path}` === 'POST uploads') most = Math.max(most, (now += 1));
    if (`${method} ${path}` === 'POST drops') {
      now -= 1;
      if (exchange.drops.length === 0) put('late.txt');
      if (exchange.drops.length === 20) setImmediate(() => stop.abort());
    }
    return 'responded';
  };
  for (let file = 0; file < 20; file += 1) put(`${file}.txt`);
  const { exit, errors } = await watch(['--to', 'a@example.org', '--every', '86400'], stop.signal);
  expect({ exit, errors }).toEqual({ exit: 0, errors: '' });
  expect(sent().map(([name]) => name)).toContain('late.txt');
  expect(most).toBeLessThanOrEqual(4);
  exchange.fate = () => 'responded';
  expect((await once()).exit).toBe(0);
  expect(exchange.drops).toHaveLength(21);
});

/** Runs until a file was sent. */
async function watchUntilSent(...words: string[]) {
  const stop = new AbortController();
  exchange.fate = ({ method, path }) => {
    if (`${method} ${path}` === 'POST drops') setTimeout(() => stop.abort(), 100);
    return 'responded';
  };
  return await watch([...words, '--every', '1'], stop.signal);
}

test('a server that is away at the start is waited for, and the terminal says so', async () => {
  put('a.txt');
  let refused = 0;
  exchange.refuse = ({ path }) =>
    path === 'drops/check' && (refused += 1) === 1 ? { status: 429, code: 'daily_limit' } : undefined;
  const { exit, errors } = await watchUntilSent('--to', 'a@example.org');
  expect({ exit, sent: sent() }).toEqual({ exit: 0, sent: [['a.txt', 'a.txt']] });
  expect(errors).toContain('Trying again');
});

test('an error of the server at the check of a receiver is reported, and does not end the watch', async () => {
  put('a.txt');
  let refused = 0;
  exchange.refuse = ({ path }) =>
    path === 'drops/check' && (refused += 1) <= 2 ? { status: 500, code: 'internal' } : undefined;
  const { exit, errors } = await watchUntilSent('--to', 'a@example.org');
  expect({ exit, sent: sent() }).toEqual({ exit: 0, sent: [['a.txt', 'a.txt']] });
  // One at the start, and one before the first file.
  expect(errors.split('What is being sent is kept, and is tried again by itself.')).toHaveLength(3);
}, 30_000);

test('a folder that is removed once its last file was claimed does not matter', async () => {
  put('b@example.org/a.txt');
  let isRemoved = false;
  const remove = () => {
    try {
      rmdirSync(join(folder, 'b@example.org'));
      isRemoved = true;
    } catch {
      setImmediate(remove);
    }
  };
  remove();
  expect(await watch(['--by-folder', '--once'])).toMatchObject({ exit: 0, errors: '' });
  expect({ isRemoved, sent: sent() }).toEqual({ isRemoved: true, sent: [['a.txt', 'b@example.org/a.txt']] });
});

test('while the disk is full, everything waits, and then it is sent', async () => {
  const environment = {
    ...fakeTerminal(home, { WAYBILL_URL: exchange.server.baseUrl, WAYBILL_USER: 'alpha@machines.test' }).environment,
    PATH: process.env['PATH'],
    WAYBILL_API_KEY: 'wb_key',
    HOME: home,
  };
  const words = ['watch', '/mnt/out', '--to', 'a@example.org', '--marker', '--every', '1'];
  const watching = runOnSmallDisk(words, 'mkdir /mnt/out && echo a >/mnt/out/a.txt', environment);
  const [out, ballast] = [join(watching.disk, 'out'), join(watching.disk, 'ballast')];
  await expect.poll(() => existsSync(join(out, 'failed')), { timeout: 30_000 }).toBe(true);
  expect(() => writeFileSync(ballast, Buffer.alloc(9_000_000))).toThrow('ENOSPC');
  writeFileSync(join(out, 'a.txt.ready'), '');
  await expect.poll(() => watching.errors, { timeout: 30_000 }).toContain('disk is full');
  expect(watching.child.exitCode).toBeNull();
  rmSync(ballast);
  await expect.poll(sent, { timeout: 30_000 }).toEqual([['a.txt', 'a\n']]);
  watching.child.kill('SIGTERM');
  expect(await watching.ended).toEqual([0, null]);
}, 60_000);
