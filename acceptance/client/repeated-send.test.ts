// An interrupted send that is run again uploads only what the server does not have.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Waybill } from '../../client/src/index.ts';
import { createAccount, freshClient } from '../lib/accounts.ts';
import { header } from '../lib/answer.ts';
import { assertJson } from '../lib/expect.ts';
import { httpProxy } from '../lib/http-proxy.ts';
import { demo } from '../lib/running-demo.ts';

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

test('a file that is staged already is not uploaded a second time', async () => {
  const [sender, receiver] = [await createAccount('again'), await createAccount('again-receiver')];
  const uploads: string[] = [];
  await using way = await httpProxy('waybill', demo().base_url, ({ url = '' }) => {
    if (url.endsWith('/cgi/upload.cgi')) uploads.push(url);
    return 'pass';
  });
  const client = new Waybill({ baseUrl: way.baseUrl, ...sender });
  const large = { name: 'large.bin', content: Buffer.alloc(3 * 1024 * 1024, 7) };
  const send = { to: [receiver.user], idempotencyKey: 'again' };
  const torn = {
    name: 'second.txt',
    open: (): Iterable<Uint8Array> => {
      throw new Error('torn');
    },
  };
  await expect(client.send({ ...send, files: [large, torn] })).rejects.toThrow();
  expect(uploads).toHaveLength(1);
  await client.send({ ...send, files: [large, { name: 'second.txt', content: 'now' }] });
  expect(uploads).toHaveLength(2);
  const drops: string[][] = [];
  for await (const { files } of client.history()) drops.push(files.map(({ name }) => name).toSorted());
  expect(drops).toEqual([['large.bin', 'second.txt']]);
  client.close();
});
