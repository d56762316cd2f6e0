// An interrupted send that is run again uploads only what the server does not have.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { Waybill } from '../../client/src/index.ts';
import { createAccount, freshClient } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { assertJson } from '../lib/http/expect.ts';
import { httpProxy } from '../lib/http/http-proxy.ts';
import { header } from '../lib/http/response.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { ended, Person } from './command.ts';

const entry = { name: 'note.txt', type: 'text/plain', size: '5 B' };

test('get_files.cgi tells exact size and SHA-256 to a client that asks, and to no other', async () => {
  const client = await freshClient('digests');
  await client.upload({ name: 'note.txt', content: 'hello', type: 'text/plain' });
  const asked = await client.get('cgi/get_files.cgi', { Prefer: 'file-digests' });
  const sha256 = createHash('sha256').update('hello').digest('hex');
  assertJson(asked, [{ ...entry, bytes: 5, sha256 }]);
  expect(header(asked, 'Preference-Applied')).toBe('file-digests');
  const plain = await client.files();
  assertJson(plain, [entry]);
  expect(header(plain, 'Preference-Applied')).toBeUndefined();
});

test('a file that is uploaded already is not uploaded a second time, by any process with the key', async () => {
  const [sender, receiver] = [await createAccount('again'), await createAccount('again-receiver')];
  let uploads = 0;
  await using way = await httpProxy('waybill', demo().base_url, ({ method }) => {
    if (method === 'PATCH') uploads += 1;
    return 'pass';
  });
  const large = { name: 'large.bin', content: randomBytes(17 * 1024 * 1024) };
  const torn = {
    name: 'second.txt',
    open: (): Iterable<Uint8Array> => {
      throw new Error('torn');
    },
  };
  const sent = async (...files: (typeof large | typeof torn | { name: string; content: string })[]) => {
    const client = new Waybill({ baseUrl: way.baseUrl, ...sender });
    try {
      return await client.send({ to: [receiver.user], idempotencyKey: 'again', files });
    } finally {
      client.close();
    }
  };
  await expect(sent(large, torn)).rejects.toThrow('torn');
  expect(uploads).toBe(1);
  const first = await sent(large, { name: 'second.txt', content: 'now' });
  const second = await sent(large, { name: 'second.txt', content: 'now' });
  expect(uploads).toBe(1);
  expect([first.repeated, second.repeated]).toEqual([false, true]);
  expect(second.drop).toEqual(first.drop);
});

const [fileCount, folderCount] = fullSize ? [500, 40] : [60, 12];

test(`a folder of ${fileCount} files in ${folderCount} subfolders keeps its paths`, { timeout: 120_000 }, async () => {
  const [sender, receiver] = [await createAccount('folder'), await createAccount('folder-receiver')];
  using person = new Person(sender);
  const wanted = Array.from({ length: fileCount }, (_, file) => {
    const folder = file % folderCount;
    return `site ä/${'sub/'.repeat(folder % 4)}part ${folder}/file ${file}.txt`;
  });
  for (const path of wanted) {
    mkdirSync(dirname(join(person.home, path)), { recursive: true });
    writeFileSync(join(person.home, path), path);
  }
  const { exitCode, stdout, stderr } = await ended(
    person.start('--json', 'send', 'site ä', '--to', receiver.user, '--no-mail'),
  );
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  const [drop, link] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  expect(drop).toMatchObject({
    status: 'sent',
    files: fileCount,
    scanned: fileCount,
    reference: expect.any(String) as string,
  });
  expect(link).toMatchObject({ status: 'link', email: receiver.user, link: expect.stringContaining('/d/') as string });
  const client = new Waybill({ baseUrl: demo().base_url, ...sender });
  const { files } = await client.drops.get(drop?.['id'] ?? '');
  expect(files.map(({ path }) => path).toSorted()).toEqual(wanted.toSorted());
  client.close();
});
