import type { Setting } from '../setting.ts';
import { address, hostAndPort, oneOf, optional, ratio } from '../types.ts';

/** Logs, metrics and traces. */
export const monitoringSettings = {
  WAYBILL_PROBES_LISTEN: {
    group: 'common',
    description:
      'The address on which `serve` provides /healthz, /readyz and /metrics, for administrators, load balancers and Prometheus: HOST:PORT. Empty: none.',
    default: '',
    type: optional(hostAndPort),
  },
  WAYBILL_WORK_PROBES_LISTEN: {
    group: 'common',
    description:
      'The same for `work`. It is a setting of its own so that `serve` and `work` can share an environment file on one machine.',
    default: '',
    type: optional(hostAndPort),
  },
  WAYBILL_LOG_LEVEL: {
    group: 'common',
    description: 'The minimum level of log messages, which are JSON lines on standard output.',
    default: 'info',
    type: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
  },
  WAYBILL_OTLP_URL: {
    group: 'common',
    description:
      'Where traces are sent, by OTLP over HTTP: the URL of an OpenTelemetry collector, such as http://127.0.0.1:4318/v1/traces. Empty: nothing is traced.',
    default: '',
    type: optional(address('http', 'https')),
  },
  WAYBILL_TRACE_RATIO: {
    group: 'tuning',
    description:
      'The part of the requests and jobs that is traced, from 0 to 1. One that continues a trace follows its decision.',
    default: '1',
    type: ratio,
  },
} satisfies Record<string, Setting>;
