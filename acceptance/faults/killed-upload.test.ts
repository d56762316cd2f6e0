// A large upload on /api/v1 whose server is killed again and again: every chunk that has arrived counts, although the
// request that carried it never ended.
import { createHash, randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { fullSize } from '../lib/full-size.ts';
import { V1Client } from '../lib/http/v1-client.ts';
import { ownServe } from '../lib/servers/own-serve.ts';
import { eventually } from '../lib/wait.ts';
import { Keystream } from '../sizes/keystream.ts';

const chunkBytes = 8 * 1024 ** 2;
const kills = 3;
const sizeBytes = fullSize ? 1024 ** 3 : 64 * 1024 ** 2;
/** The bytes that each server stores before it is killed, and those of the next chunk that have arrived by then. */
const storedEach = Math.floor(sizeBytes / chunkBytes / (kills + 1)) * chunkBytes;
const unfinishedBytes = chunkBytes - 1024;

test(`${sizeBytes / 1024 ** 2} MiB through ${kills} times kill -9 of the server: at most a chunk is sent again for each`, {
  timeout: 600_000,
}, async () => {
  const file = new Keystream(randomBytes(16).toString('hex'));
  const [client, receiver] = [await freshClient('killed'), await freshClient('receiver')];
  const elsewhere = new V1Client(client.account);
  const tus = { 'tus-resumable': '1.0.0' };
  const metadata = `filename ${Buffer.from('large.bin').toString('base64')}`;
  const created = await elsewhere.ask('POST', '/uploads', {
    headers: { ...tus, 'upload-length': String(sizeBytes), 'upload-metadata': metadata },
  });
  const id = created.headers.get('location')?.split('/').at(-1) ?? '';
  const state = () => elsewhere.read<{ state: string; received: number }>('GET', `/uploads/${id}`);
  let sentBytes = 0;
  /** Sends the rest of the file, or as much as arrives before the connection stalls. */
  const sendOn = async (through: V1Client, offset: number, end = sizeBytes) => {
    const bytes = async function* () {
      for (const piece of file.pieces(offset, end)) {
        sentBytes += piece.length;
        yield piece;
      }
      if (end < sizeBytes) await new Promise(() => undefined);
    };
    const headers = { ...tus, 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
    return await through.ask('PATCH', `/uploads/${id}`, { headers, bytes: bytes() });
  };
  const offsetNow = async () => {
    const response = await elsewhere.ask('HEAD', `/uploads/${id}`, { headers: tus });
    return Number(response.headers.get('upload-offset'));
  };

  for (let kill = 0; kill < kills; kill += 1) {
    const serve = await ownServe({});
    onTestFinished(() => serve.stop());
    const offset = await offsetNow();
    const stored = offset + storedEach;
    const cutOff = sendOn(elsewhere.through(serve.baseUrl), offset, stored + unfinishedBytes);
    cutOff.catch(() => undefined); // expected below
    await eventually('whole chunks count', async () => ((await state()).received >= stored ? true : undefined));
    await serve.kill();
    await expect(cutOff).rejects.toThrow();
  }
  expect((await sendOn(elsewhere, await offsetNow())).status).toBe(204);
  expect(sentBytes - sizeBytes).toBeLessThanOrEqual(kills * chunkBytes);
  await eventually('it is checked', async () => ((await state()).state === 'ready' ? true : undefined));

  const receivers = [{ email: receiver.user }];
  await elsewhere.read('POST', '/drops', { json: { uploads: [id], receivers } });
  const inbox = new V1Client(receiver.account);
  const { data } = await inbox.read<{ data: { id: string }[] }>('GET', '/inbox');
  const entry = `/inbox/${data[0]?.id}`;
  const { files } = await inbox.read<{ files: { id: string }[] }>('GET', entry);
  const download = await inbox.ask('GET', `${entry}/files/${files[0]?.id}`);
  const digests = [createHash('sha256'), createHash('sha256')] as const;
  for await (const piece of download.body ?? []) digests[0].update(piece);
  for (const piece of file.pieces(0, sizeBytes)) digests[1].update(piece);
  expect(digests[0].digest('hex')).toBe(digests[1].digest('hex'));
});
