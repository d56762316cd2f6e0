// A file that the scanner detects is refused, and nothing from its request is kept.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eicar } from '../../tools/shared/eicar.ts';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse, assertJson, assertStatus } from '../lib/http/expect.ts';
import { type OwnServe, ownServe } from '../lib/servers/own-serve.ts';

for (const policy of ['required', 'best-effort']) {
  describe(`policy ${policy}`, () => {
    let serve: OwnServe;

    beforeAll(async () => {
      serve = await ownServe({ WAYBILL_SCAN: policy });
    });

    afterAll(async () => {
      await serve?.stop();
    });

    const clientHere = (): Promise<Client> => freshClient('infected', { baseUrl: serve.baseUrl });

    test('an infected file is refused', async () => {
      const client = await clientHere();
      assertErrorResponse(await client.upload({ name: 'eicar.com', content: eicar }), 422, 'infected');
      assertJson(await client.files(), []);
    });

    test('an infected second file also removes the first', async () => {
      const client = await clientHere();
      const response = await client.upload(
        { name: 'clean.txt', content: 'clean' },
        { name: 'eicar.com', content: eicar },
      );
      assertErrorResponse(response, 422, 'infected');
      assertJson(await client.files(), []);
    });

    test('an infected file does not replace a clean one of the same name', async () => {
      const client = await clientHere();
      assertStatus(await client.upload({ name: 'same.txt', content: 'clean' }), 'done');
      assertErrorResponse(await client.upload({ name: 'same.txt', content: eicar }), 422, 'infected');
      expect((await client.readFiles()).map(({ name, size }) => [name, size])).toEqual([['same.txt', '5 B']]);
    });
  });
}
