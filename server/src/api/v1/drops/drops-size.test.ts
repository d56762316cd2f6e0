// The largest drop that an account can send, in one request.
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { limits } from '@waybill/protocol';
import { expect, test } from 'vitest';
import { openTestExchange } from '../../../../test/exchange.ts';
import { requestV1 } from '../../../../test/request-v1.ts';
import { buildTestServer } from '../../../../test/server.ts';
import { uploadDraftPrefix } from '../../../domain/uploads/account-upload.ts';

/** On an otherwise idle machine it takes less than 2 s. */
const longestMs = 20_000;

test('a drop with 1,000 files for 1,000 receivers is sent in one short request', { timeout: 120_000 }, async () => {
  await using exchange = await openTestExchange();
  const { dayKeys } = exchange.engines;
  const app = buildTestServer(exchange);
  const sender = await exchange.account();
  const receiver = await exchange.account();
  const uploads = Array.from({ length: limits.filesPerDraft }, () => randomUUIDv7());
  const keys = await Promise.all(uploads.map((id) => dayKeys.wrap(randomBytes(32), id, null)));
  await exchange.database.query(
    `with new as (select * from unnest($2::uuid[], $3::bytea[], $4::int[]) with ordinality as new (id, key, day, number)),
       drafts as (insert into drafts (account_id, name) select $1, $5 || id from new)
     insert into files (account_id, id, state, draft, name, media_type, size_bytes, sha256, crc32, scan, chunk_count, wrapped_key, key_day)
     select $1, id, 'ready', $5 || id, 'file-' || number, 'text/plain', 1, sha256('x'), 0, 'unscanned', 1, key, day from new`,
    [sender.accountId, uploads, keys.map(({ wrapped }) => wrapped), keys.map(({ day }) => day), uploadDraftPrefix],
  );
  const receivers = Array.from({ length: limits.receiversPerDispatch }, (_, index) => ({
    email: index === 0 ? receiver.email : `receiver-${index}@example.org`,
    name: `Receiver ${index}`,
  }));

  const startedAt = performance.now();
  const response = await requestV1(app, 'POST', '/drops', {
    key: sender.apiKey,
    body: { uploads, receivers, notify: true },
  });
  const sentMs = performance.now() - startedAt;
  expect(response.status, response.text.slice(0, 500)).toBe(201);
  const readAt = performance.now();
  const read = await requestV1(app, 'GET', `/drops/${response.json().id}`, { key: sender.apiKey });
  const readMs = performance.now() - readAt;
  process.stdout.write(`1,000 files for 1,000 receivers: sent in ${sentMs | 0} ms, read in ${readMs | 0} ms\n`);
  expect(read.json().receivers).toHaveLength(1000);
  expect(read.json().files).toHaveLength(1000);
  expect(await exchange.database.query('select 1 from messages')).toHaveLength(1000);
  expect(sentMs).toBeLessThan(longestMs);
  await app.close();
});
