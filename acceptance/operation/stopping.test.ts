// SIGTERM after the last client has disconnected, but before its work is recorded: the process ends only after that.
import { randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { demoEnvironment } from '../../tools/demo/environment.ts';
import { freshClient } from '../lib/accounts.ts';
import { httpProxy } from '../lib/http/http-proxy.ts';
import { TcpProxy } from '../lib/http/tcp-proxy.ts';
import { V1Client } from '../lib/http/v1-client.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

const chunkBytes = 8 * 1024 ** 2;
const atOnce = { WAYBILL_STOP_DELAY_SECONDS: '0' };

async function stopped(serve: OwnServe): Promise<void> {
  expect(await serve.ended).toBe(0);
}

test('a delivery whose last byte was sent is recorded', async () => {
  const [sender, receiver] = [await freshClient('sender'), await freshClient('receiver')];
  const v1 = new V1Client(sender.account);
  const upload = await v1.upload('report.bin', randomBytes(1024 ** 2));
  const { id } = await v1.read<{ id: string }>('POST', '/drops', {
    json: { uploads: [upload], receivers: [{ email: receiver.user }] },
  });
  const { hostname, port, href } = new URL(demoEnvironment()['WAYBILL_DATABASE_URL'] ?? '');
  await using database = await TcpProxy.before({ host: hostname, port: Number(port) });
  const serve = await ownServe({ ...atOnce, WAYBILL_DATABASE_URL: database.through(href) });
  onTestFinished(() => serve.stop());
  const inbox = new V1Client(receiver.account, serve.baseUrl);
  const { data } = await inbox.read<{ data: { id: string }[] }>('GET', '/inbox');
  const { files } = await inbox.read<{ files: { id: string }[] }>('GET', `/inbox/${data[0]?.id}`);
  // Nothing in a download after its first byte needs the database, until the delivery is recorded.
  const response = await inbox.ask('GET', `/inbox/${data[0]?.id}/files/${files[0]?.id}`);
  database.fault = { delayMs: 250 };
  expect((await response.bytes()).length).toBe(1024 ** 2);
  process.kill(serve.pid, 'SIGTERM');
  await stopped(serve);
  const { receivers } = await v1.read<{ receivers: { state: string }[] }>('GET', `/drops/${id}`);
  expect(receivers.map(({ state }) => state)).toEqual(['completed']);
});

test('whole chunks that are on their way to the store when the client disconnects count', async () => {
  const client = await freshClient('sender');
  const elsewhere = new V1Client(client.account);
  let puts = 0;
  await using store = await httpProxy('s3', demoEnvironment()['WAYBILL_S3_ENDPOINT'] ?? '', ({ method }) => {
    if (method === 'PUT') puts += 1;
    return method === 'PUT' ? { delayMs: 2_000 } : 'pass';
  });
  const serve = await ownServe({ ...atOnce, WAYBILL_S3_ENDPOINT: store.baseUrl });
  onTestFinished(() => serve.stop());
  const tus = { 'tus-resumable': '1.0.0' };
  const metadata = `filename ${Buffer.from('large.bin').toString('base64')}`;
  const created = await elsewhere.ask('POST', '/uploads', {
    headers: { ...tus, 'upload-length': String(10 * chunkBytes), 'upload-metadata': metadata },
  });
  const path = new URL(created.headers.get('location') ?? '', demo().base_url).pathname;
  const beforeUpload = puts;
  const outgoing = httpRequest(serve.baseUrl + path, {
    method: 'PATCH',
    headers: {
      ...tus,
      authorization: `Bearer ${client.account.apiKey}`,
      'upload-offset': '0',
      'content-type': 'application/offset+octet-stream',
      'content-length': String(10 * chunkBytes),
    },
  });
  outgoing.on('error', () => undefined);
  outgoing.write(randomBytes(3 * chunkBytes + 1000));
  await eventually('three chunks are on their way', async () => puts - beforeUpload >= 3 || undefined, { everyMs: 5 });
  const disconnected = Promise.withResolvers<void>();
  outgoing.once('close', disconnected.resolve).destroy();
  await disconnected.promise;
  process.kill(serve.pid, 'SIGTERM');
  await stopped(serve);
  const response = await elsewhere.ask('HEAD', path.slice('/api/v1'.length), { headers: tus });
  expect(Number(response.headers.get('upload-offset'))).toBe(3 * chunkBytes);
});
