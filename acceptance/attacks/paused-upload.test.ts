// An uploader who pauses in the middle of a virus hides nothing from the scanner.
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eicar } from '../../tools/shared/eicar.ts';
import { freshClient } from '../lib/accounts.ts';
import { assertJson } from '../lib/http/expect.ts';
import { multipart, uploadParts } from '../lib/http/multipart.ts';
import { openRequest } from '../lib/http/stream.ts';
import { ownServe } from '../lib/servers/own-serve.ts';

/** Longer than the silence after which clamd used to be considered unavailable. */
const pauseMs = 32_000;
/** Before and after the pause, so that the upload is not cut for being too slow. */
const padding = 'x'.repeat(64 * 1024);

for (const policy of ['required', 'best-effort']) {
  test(`policy ${policy}`, { concurrent: true, timeout: 120_000 }, async () => {
    const serve = await ownServe({ WAYBILL_SCAN: policy });
    try {
      const client = await freshClient('pausing', { baseUrl: serve.baseUrl });
      const content = `${padding}${eicar}${padding}`;
      const { contentType, body } = multipart(uploadParts([{ name: 'a.bin', content }]));
      const { outgoing, pendingResponse } = await openRequest(client, 'POST', 'cgi/upload.cgi', {
        'Content-Type': contentType,
        'Content-Length': String(body.length),
      });
      const middle = body.indexOf(eicar) + 30;
      if (!outgoing.write(body.subarray(0, middle))) await once(outgoing, 'drain');
      await pause(pauseMs);
      outgoing.end(body.subarray(middle));
      const response = await pendingResponse;
      expect([response.statusCode, JSON.parse(await text(response))]).toMatchObject([422, { code: 'infected' }]);
      assertJson(await client.files(), []);
    } finally {
      await serve.stop();
    }
  });
}
