import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { afterAll, expect, test } from 'vitest';
import { examineKms } from '../../../server/src/engines/aws-kms/examine.ts';
import { kmsKeyProvider } from '../../../server/src/engines/aws-kms/key-provider.ts';
import { keyProviderContract } from '../../../server/test/contracts/key-provider-contract.ts';
import { collectFindings, expectTrouble } from '../../../server/test/findings.ts';

const address = process.env['WAYBILL_KMS_ENDPOINT'];
if (!address)
  throw new Error('WAYBILL_KMS_ENDPOINT is not set. Set it to the address of a KMS for tests, such as moto.');
process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';

// moto sends two Date headers, from which the SDK computes a clock that is not a number. KMS sends one.
const forward = async (request: IncomingMessage, response: ServerResponse) => {
  const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
  const body = Buffer.concat(await request.toArray());
  const reply = await fetch(address, { method: 'POST', headers, body });
  response.writeHead(reply.status, { 'content-type': 'application/x-amz-json-1.1' });
  response.end(Buffer.from(await reply.arrayBuffer()));
};
const proxy = createServer((request, response) => void forward(request, response));
await new Promise<void>((resolve) => {
  proxy.listen(0, '127.0.0.1', resolve);
});
const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
const client = new KMSClient({ endpoint, region: 'eu-north-1' });
afterAll(() => {
  client.destroy();
  proxy.close();
  proxy.closeAllConnections();
});

async function newKey(version: number) {
  const { KeyMetadata } = await client.send(new CreateKeyCommand({}));
  return { version, arn: KeyMetadata?.Arn ?? '' };
}

keyProviderContract(`KMS at ${address}`, async () => {
  const first = await newKey(1);
  return {
    keys: kmsKeyProvider({ keys: [first], endpoint }),
    rotate: async () => kmsKeyProvider({ keys: [await newKey(2), first], endpoint }),
  };
});

test('the doctor finds a key that works, and names one that does not exist', async () => {
  const key = await newKey(1);
  expect(await collectFindings(examineKms({ keys: [key], endpoint }))).toMatchObject([
    { status: 'ok', check: 'keys.kms' },
  ]);
  const missing = { version: 1, arn: key.arn.replace(/.{4}$/, '0000') };
  await expectTrouble(examineKms({ keys: [missing], endpoint }), 'fault keys.kms');
});
