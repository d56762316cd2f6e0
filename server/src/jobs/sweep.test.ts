import { expect, test, vi } from 'vitest';
import { useTestExchange } from '../../test/exchange.ts';
import type { Engines } from '../domain/engines.ts';
import { aroundSweeps } from '../observe/jobs.ts';
import { createMetrics } from '../observe/metrics.ts';
import { noTracing } from '../observe/tracing.ts';
import { startSweeping } from './loops.ts';

const exchange = await useTestExchange();

/** Engines whose sweeps report when they begin and end. */
function observed(report: (change: 1 | -1) => Promise<void>): Engines {
  const { store } = exchange.engines;
  const empty: typeof store.drops.empty = async (...batch) => {
    await report(1);
    return store.drops.empty(...batch);
  };
  const takeDeletions = async (count: number, leaseSeconds: number) => {
    const deletions = await store.files.takeDeletions(count, leaseSeconds);
    await report(-1);
    return deletions;
  };
  return {
    ...exchange.engines,
    store: { ...store, drops: { ...store.drops, empty }, files: { ...store.files, takeDeletions } },
  } as unknown as Engines;
}

test('workers sweep again and again, and never two at once', async () => {
  let [sweeping, max, swept] = [0, 0, 0];
  const engines = observed(async (change) => {
    sweeping += change;
    max = Math.max(max, sweeping);
    if (change === -1) swept += 1;
  });
  const failures: unknown[] = [];
  const workers = Array.from({ length: 3 }, () =>
    startSweeping(engines, { everyMs: 1, onFailure: (error) => failures.push(error) }),
  );
  await vi.waitFor(() => expect(swept).toBeGreaterThan(20), { timeout: 20_000 });
  await Promise.all(workers.map((worker) => worker.stop()));
  expect([max, failures]).toEqual([1, []]);
});

test('a sweep that fails is reported, and the next one is made', async () => {
  let begun = 0;
  const engines = observed(async (change) => {
    if (change === 1 && (begun += 1) === 1) throw new Error('a fault');
  });
  const failures: unknown[] = [];
  const worker = startSweeping(engines, { everyMs: 1, onFailure: (error) => failures.push(error) });
  await vi.waitFor(() => expect(begun).toBeGreaterThan(2), { timeout: 20_000 });
  await worker.stop();
  expect(failures).toEqual([new Error('a fault')]);
});

test('a part of a sweep that fails keeps no other from being done, told and counted', async () => {
  const { engines } = exchange;
  const receiver = await exchange.account();
  const sender = await exchange.account(receiver.email);
  await exchange.drop(sender, [receiver.email], ['a.txt']);
  await exchange.database.query(
    "update inbox_entries set state = 'last_attempt', lease_id = gen_random_uuid(), attempts = 10, due_at = now() where account_id = $1",
    [receiver.accountId],
  );
  const metrics = createMetrics({ role: 'work', version: 'test' });
  const fail = async () => Promise.reject(new Error('a fault'));
  const { store } = engines;
  const broken = {
    ...store,
    drops: { ...store.drops, empty: fail },
    uploads: { ...store.uploads, expire: fail },
    files: { ...store.files, takeDeletions: fail },
  };
  const failures: unknown[] = [];
  const worker = startSweeping({ ...engines, store: broken } as unknown as Engines, {
    around: aroundSweeps({ metrics, tracing: noTracing }),
    everyMs: 1,
    onFailure: (error) => failures.push(error),
  });
  await vi.waitFor(() => expect(failures).not.toHaveLength(0), { timeout: 20_000 });
  await worker.stop();
  const told = await exchange.database.query('select data from events where account_id = $1 and type = $2', [
    receiver.accountId,
    'inbox.parked',
  ]);
  expect(told).toMatchObject([{ data: { attempts: 10 } }]);
  const { values } = await metrics.swept.get();
  expect(values.find(({ labels }) => labels.kind === 'parked')?.value).toBe(1);
});

test('a worker goes on where its last sweep ended', async () => {
  const held = 150;
  const places: number[] = [];
  const purge: typeof exchange.engines.store.audit.purge = async (_age, _count, after) => {
    const place = Number(after?.[0] ?? 0);
    places.push(place);
    return { rows: 0, more: place < held, next: [String(place + 1)] };
  };
  const { engines } = exchange;
  const store = { ...engines.store, audit: { ...engines.store.audit, purge } };
  const policy = { ...engines.policy, keepSeconds: { ...engines.policy.keepSeconds, audit: 86_400 } };
  const failures: unknown[] = [];
  const sweeping = { ...engines, store, policy } as unknown as Engines;
  const worker = startSweeping(sweeping, { everyMs: 1, onFailure: (error) => failures.push(error) });
  await vi.waitFor(() => expect(places.length).toBeGreaterThan(held + 2), { timeout: 20_000 });
  await worker.stop();
  expect(places.slice(0, held + 3)).toEqual([...Array(held + 1).keys(), held, held]);
  expect(failures).toEqual([]);
});
