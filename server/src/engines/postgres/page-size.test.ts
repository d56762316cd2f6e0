import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';

const { store } = (await useTestExchange()).engines;

test('a page of any size is read by the same statement, so that callers cannot have one prepared for each', async () => {
  const accountId = randomUUID();
  const asked = vi.spyOn(pg.Client.prototype, 'query');
  for (let count = 2; count <= 101; count += 1) {
    await store.sentDrops.page(accountId, 'downloadfiles', {}, {}, count);
    await store.contacts.page(accountId, { search: undefined, list: undefined }, { by: 'email' }, count);
    await store.inbox.page(accountId, {}, undefined, count);
    await store.webhookDeliveries.attempts(accountId, randomUUID(), undefined, count);
  }
  const texts = (asked.mock.calls as unknown as [string | { text: string }][]).map(([query]) =>
    typeof query === 'string' ? query : query.text,
  );
  asked.mockRestore();
  expect(texts.length).toBeGreaterThanOrEqual(400);
  expect(new Set(texts).size).toBeLessThan(20);
});
