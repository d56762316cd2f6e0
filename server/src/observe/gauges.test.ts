import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { addGauges, type Sources } from './gauges.ts';

/** The samples of a metric as Prometheus reads them. */
const read = async (sources: Sources, name: string) => {
  const registry = new Registry();
  addGauges(registry, sources);
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));
};

test('a value that is not known is absent, not 0: alerts and dashboards would take it for one', async () => {
  for (const name of ['waybill_last_backup_timestamp_seconds', 'waybill_log_cosigned_age_seconds']) {
    expect(await read({ lanes: {} }, name)).toEqual([]);
  }
});

test('each witness has the sample of its last result', async () => {
  const witnesses = () => ({ auditor: 'refused', sister: 'cosigned' }) as const;
  expect(await read({ lanes: {}, witnesses }, 'waybill_log_witnesses')).toEqual([
    'waybill_log_witnesses{witness="auditor",result="refused"} 1',
    'waybill_log_witnesses{witness="sister",result="cosigned"} 1',
  ]);
});
