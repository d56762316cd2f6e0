// A client that disconnects in the middle of an upload: no one ever sees any part of it, and nothing of it remains.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { endGrace, readFiles } from '../checker/evidence.ts';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { multipart, uploadParts } from '../lib/http/multipart.ts';
import { demoInside, objectKeys, sweep } from '../lib/servers/exchange-internals.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

const chunkBytes = 8 * 1024 * 1024;
let account: Client;

beforeAll(async () => {
  account = await freshClient('vanishing');
});

/** Reset: the connection is reset. Close: the client's system closes it properly, but too early. */
const departures = {
  reset: (socket: Socket) => socket.resetAndDestroy(),
  close: (socket: Socket) => socket.destroy(),
};

const large = { name: 'large.bin', content: randomBytes(3 * chunkBytes) };
const small = { name: 'small.bin', content: randomBytes(1000) };

const moments = [
  {
    when: 'in the middle of a file',
    files: [large],
    // By then more than two chunks have been sent to the bucket.
    sentUntil: (body: Buffer) => body.length - chunkBytes / 2,
    reached: { files: 1, objects: 2 },
  },
  {
    when: 'after the last byte of the file, before the final boundary',
    files: [large],
    sentUntil: (body: Buffer) => body.lastIndexOf('\r\n--'),
    reached: { files: 1, objects: 2 },
  },
  {
    when: 'inside the final boundary',
    files: [small],
    sentUntil: (body: Buffer) => body.lastIndexOf('--') - 5,
    reached: { files: 1, objects: 0 },
  },
  {
    when: 'between two files',
    files: [large, small],
    sentUntil: (body: Buffer) => body.indexOf('Content-Disposition', body.indexOf(large.content)),
    // The first file is complete: its three chunks are stored.
    reached: { files: 1, objects: 3 },
  },
  {
    when: 'in the middle of the second file',
    files: [small, large],
    sentUntil: (body: Buffer) => body.length - chunkBytes / 2,
    reached: { files: 2, objects: 3 },
  },
];

for (const [index, { when, files, sentUntil, reached }] of moments.entries()) {
  for (const [departure, leave] of Object.entries(departures)) {
    test(`gone ${when} (${departure})`, async () => {
      const draft = `${departure}-${index}`;
      const client = account.inDraft(draft);
      const { contentType, body } = multipart(uploadParts(files));
      const socket = await send(client, draft, contentType, body.subarray(0, sentUntil(body)), body.length);
      const ids = await eventually('the upload to get that far', async () => {
        const rows = await fileIds(draft);
        const objects = await listObjects(rows);
        return rows.length === reached.files && objects.length >= reached.objects ? rows : undefined;
      });
      expect(await client.readFiles(), 'listed while it is under way').toEqual([]);
      leave(socket);

      await eventually('nothing left', async () => {
        expect(await client.readFiles(), 'listed after the client went').toEqual([]);
        await endGrace(demoInside, account.user);
        await sweep();
        const left = [...(await fileIds(draft)), ...(await listObjects(ids))];
        return left.length === 0 ? true : undefined;
      });
      // The name can be used, and the service is healthy.
      expect((await client.upload(...files)).status).toBe(200);
      expect((await client.readFiles()).map(({ name }) => name)).toEqual(files.map(({ name }) => name));
    });
  }
}

/** Announces more than it sends, and stays connected. */
async function send(
  client: Client,
  draft: string,
  contentType: string,
  bytes: Buffer,
  announced: number,
): Promise<Socket> {
  const url = new URL(demo().base_url);
  const socket = connect({ host: url.hostname, port: Number(url.port) });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    `POST /${client.user}/cgi/upload.cgi HTTP/1.1`,
    `Host: ${url.host}`,
    `Authorization: ${client.authorization}`,
    `CSRF-Token: ${await client.token()}`,
    `Waybill-Draft: ${draft}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${announced}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(bytes);
  return socket;
}

async function fileIds(draft: string): Promise<string[]> {
  const rows = await readFiles(demoInside, [account.user]);
  return rows.filter((row) => row.draft === draft).map(({ id }) => id);
}

async function listObjects(ids: string[]): Promise<string[]> {
  return (await Promise.all(ids.map((id) => objectKeys(`${id}/`)))).flat();
}
