import { errorCodes } from '@waybill/protocol';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { auditTargetNames } from '../domain/audit/audit-target-store.ts';
import { addGauges, type Sources } from './gauges.ts';

/** From a cached response to a call that is about to be abandoned. */
const callBuckets = [0.001, 0.005, 0.025, 0.1, 0.25, 1, 2.5, 10];
/** A transfer may take hours. */
const requestBuckets = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 10, 60, 600];
const jobBuckets = [0.05, 0.25, 1, 5, 30, 300, 3_600];

/**
 * Gauges of prom-client whose names end as only a counter's may: `promtool check metrics` rejects them, and what they
 * count is in the gauges without that ending.
 */
const misnamed = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

const outcomes = ['sent', 'retried', 'postponed', 'abandoned', 'returned'];
const webhookOutcomes = ['delivered', 'retried', 'abandoned'];
const verdicts = ['clean', 'infected', 'too_large', 'encrypted', 'interrupted', 'unavailable'];
/** Where requests arrive. none: no route was found. A counter that increases rarely starts at 0 on each of them. */
const surfaces = ['api', 'v1', 'pages', 'app', 'log', 'none'] as const;
export type Surface = (typeof surfaces)[number];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Everything that is counted as it happens; gauges.ts has what is read when someone asks. Every label has a closed set
 * of values: registered routes, error codes, methods of ports, names of tasks. Nothing that a peer sends becomes one.
 * No label is called `job` or `instance`: Prometheus uses these names for the process itself.
 */
export function createMetrics(process: { readonly role: string; readonly version: string }) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const name of misnamed) registry.removeSingleMetric(name);
  new Gauge({
    name: 'waybill_build_info',
    help: 'Always 1. The labels are the version and the role of the process.',
    labelNames: ['version', 'role'],
    registers,
  }).set({ ...process }, 1);

  const sources: Sources = { lanes: {} };
  addGauges(registry, sources);

  const metrics = {
    registry,
    sources,
    requests: new Counter({
      name: 'waybill_http_requests_total',
      help: 'Requests that ended. status is the class of the response’s status, or cut if the connection was lost before the response was complete.',
      labelNames: ['surface', 'method', 'route', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'waybill_http_request_duration_seconds',
      help: 'The time from a request’s head to the end of its response, including the transfer of its body.',
      labelNames: ['surface', 'method', 'route'],
      buckets: requestBuckets,
      registers,
    }),
    refusals: new Counter({
      name: 'waybill_http_refusals_total',
      help: 'Requests whose response is an error, by its code: unauthorized is a failed login.',
      labelNames: ['surface', 'code'],
      registers,
    }),
    requestsInProgress: new Gauge({
      name: 'waybill_http_requests_in_progress',
      help: 'Requests whose response is not complete.',
      labelNames: ['surface'],
      registers,
    }),
    callSeconds: new Histogram({
      name: 'waybill_engine_call_duration_seconds',
      help: 'Calls to the engines, including the time that they wait for their turn.',
      labelNames: ['engine', 'operation'],
      buckets: callBuckets,
      registers,
    }),
    callFailures: new Counter({
      name: 'waybill_engine_failures_total',
      help: 'Calls to the engines that failed. Calls that the client or the server cancelled are not included.',
      labelNames: ['engine', 'operation'],
      registers,
    }),
    scans: new Counter({
      name: 'waybill_scans_total',
      help: 'Files that were scanned, by verdict. All but clean and infected mean: not scanned, and why.',
      labelNames: ['verdict'],
      registers,
    }),
    messages: new Counter({
      name: 'waybill_messages_total',
      help: 'Attempts to send a mail or an SMS, by outcome. returned: the mail came back as undeliverable.',
      labelNames: ['outcome'],
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'waybill_webhook_attempts_total',
      help: 'Requests to webhooks, by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    auditFailures: new Counter({
      name: 'waybill_audit_failures_total',
      help: 'Batches of audit entries that a target did not take. They are sent again.',
      labelNames: ['target'],
      registers,
    }),
    jobSeconds: new Histogram({
      name: 'waybill_job_duration_seconds',
      help: 'Jobs that ended.',
      labelNames: ['task'],
      buckets: jobBuckets,
      registers,
    }),
    jobFailures: new Counter({
      name: 'waybill_job_failures_total',
      help: 'Jobs that ended with an unexpected error. They are tried again.',
      labelNames: ['task'],
      registers,
    }),
    jobsInProgress: new Gauge({
      name: 'waybill_jobs_in_progress',
      help: 'Jobs that this process is running.',
      labelNames: ['task'],
      registers,
    }),
    sweepSucceeded: new Gauge({
      name: 'waybill_sweep_last_success_timestamp_seconds',
      help: 'When this process last completed a sweep; 0 before its first. One worker sweeps at a time, so look at the latest of all.',
      registers,
    }),
    sweepSeconds: new Histogram({
      name: 'waybill_sweep_duration_seconds',
      help: 'Sweeps that succeeded.',
      buckets: jobBuckets,
      registers,
    }),
    sweepFailures: new Counter({
      name: 'waybill_sweep_failures_total',
      help: 'Sweeps that failed. The next one continues.',
      registers,
    }),
    swept: new Counter({
      name: 'waybill_swept_total',
      help: 'What sweeps have dealt with, by kind: drops that ended, objects that were deleted, and so on.',
      labelNames: ['kind'],
      registers,
    }),
  };
  // A counter that begins with its first event shows no increase by it.
  for (const outcome of outcomes) metrics.messages.inc({ outcome }, 0);
  for (const outcome of webhookOutcomes) metrics.webhookAttempts.inc({ outcome }, 0);
  for (const target of auditTargetNames) metrics.auditFailures.inc({ target }, 0);
  for (const verdict of verdicts) metrics.scans.inc({ verdict }, 0);
  if (process.role !== 'serve') return metrics;
  for (const code of errorCodes) {
    for (const surface of surfaces) metrics.refusals.inc({ surface, code }, 0);
  }
  return metrics;
}
