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
  for (const name of [
    'waybill_last_backup_timestamp_seconds',
    'waybill_last_backup_failure_timestamp_seconds',
    'waybill_log_cosigned_age_seconds',
    'waybill_certificate_expiry_timestamp_seconds',
    'waybill_virus_signatures_timestamp_seconds',
  ]) {
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

test('the times of the certificate and of the signatures are seconds since 1970', async () => {
  const sources = {
    lanes: {},
    certificateExpiresAt: () => new Date('2026-11-30T00:00:00Z'),
    signaturesMadeAt: async () => new Date('2026-11-14T08:33:00Z'),
  };
  expect(await read(sources, 'waybill_certificate')).toEqual([
    'waybill_certificate_expiry_timestamp_seconds 1795996800',
  ]);
  expect(await read(sources, 'waybill_virus')).toEqual(['waybill_virus_signatures_timestamp_seconds 1794645180']);
});
