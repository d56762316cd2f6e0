// A folder that a contact sends arrives as a folder, however it is downloaded.
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ended, Person } from '../client/command.ts';
import { freshClient } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import type { Client } from '../lib/http/client.ts';
import { header } from '../lib/http/response.ts';
import type { InboxEntry } from '../lib/http/shapes.ts';
import { requestFiles, waitForInbox } from '../lib/people/contact.ts';
import { ContactUploader } from '../lib/people/contact-uploader.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

const run = promisify(execFile);
const env = { ...process.env, LC_ALL: 'C.UTF-8' };
const [fileCount, folderCount] = fullSize ? [500, 40] : [100, 10];
const uploadsAtOnce = 4;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** In folders, each of which is in another one; every folder has an index. */
const folders = Array.from({ length: folderCount }, (_, index) =>
  ['project', `räksmörgås ${index % 8}`, ...(index < 8 ? [] : [`part ${index}`])].join('/'),
);
const files = new Map(
  Array.from({ length: fileCount }, (_, index) => {
    const name = index < folderCount ? 'index.html' : `file ${index}.bin`;
    return [`${folders[index % folderCount]}/${name}`, randomBytes(index)] as const;
  }),
);
const sent = Object.fromEntries([...files].map(([path, content]) => [path, sha256(content)]));

let client: Client;
let entry: InboxEntry;
let target: string;
beforeAll(() => {
  target = mkdtempSync(join(tmpdir(), 'waybill-folders-'));
});
afterAll(() => rmSync(target, { recursive: true, force: true }));

/** Every file below a folder, by its path, except for what the command itself stores there. */
function treeIn(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name));
  return Object.fromEntries(
    found
      .map((path) => [relative(folder, path), sha256(readFileSync(path))] as const)
      .filter(([path]) => !path.startsWith('.waybill/')),
  );
}

test(`a contact sends ${fileCount} files in ${folderCount} folders`, { timeout: 300_000 }, async () => {
  client = await freshClient('folders');
  const { contact, link } = await requestFiles(client);
  const { base_url: baseUrl } = demo();
  const uploader = await ContactUploader.open(baseUrl, link.split('/').at(-1) ?? '');
  const waiting = [...files];
  const uploadFiles = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [path, content] = next;
      const upload = await uploader.announce(baseUrl, path, content.length);
      if (content.length > 0) expect((await uploader.continue(baseUrl, upload, content)).status, path).toBe(204);
    }
  };
  await Promise.all(Array.from({ length: uploadsAtOnce }, uploadFiles));
  await eventually('all files are checked', async () => ((await uploader.send(baseUrl)).ok ? true : undefined), {
    withinMs: 200_000,
  });
  entry = await waitForInbox(client, contact);
});

test('what the API shows are plain names, each once', () => {
  const names = entry.files.map(({ name }) => name);
  expect(new Set(names).size).toBe(fileCount);
  expect(names.filter((name) => name.includes('/'))).toEqual([]);
  expect(names).toContain('index.html');
  expect(names).toContain(`index (${folderCount}).html`);
});

test('the ZIP has the folders, also when it is fetched in two parts', { timeout: 120_000 }, async () => {
  const first = await client.get(`${entry.url}/all.zip`, { Range: 'bytes=0-9999' });
  const etag = header(first, 'ETag') ?? '';
  const rest = await client.get(`${entry.url}/all.zip`, { Range: 'bytes=10000-', 'If-Range': etag });
  expect([first.status, rest.status]).toEqual([206, 206]);
  const zip = join(target, 'all.zip');
  writeFileSync(zip, Buffer.concat([first.body, rest.body]));
  expect((await run('unzip', ['-t', zip], { env, maxBuffer: 2 ** 24 })).stdout).toContain('No errors detected');
  await run('unzip', ['-q', zip, '-d', join(target, 'zip')], { env });
  expect(treeIn(join(target, 'zip'))).toEqual(sent);
});

test('pull makes the folders again', { timeout: 200_000 }, async () => {
  using person = new Person(client.account);
  const { exitCode, stderr } = await ended(person.start('pull', 'in'));
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(treeIn(join(person.home, 'in'))).toEqual(sent);
});
