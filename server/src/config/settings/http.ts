import type { Setting } from '../setting.ts';
import { filePath, hostAndPort, integer, list, publicUrl } from '../types.ts';

/** How the server is reached. */
export const httpSettings = {
  WAYBILL_PUBLIC_URL: {
    group: 'required',
    description: 'The address that people and machines use, without a trailing slash. Links in mails start with it.',
    type: publicUrl,
  },
  WAYBILL_ALLOWED_HOSTS: {
    group: 'common',
    description:
      'Additional host names that this server and its probe ports serve, separated by commas, with the port unless it is the default. The probe ports also accept addresses and names without a dot.',
    default: '',
    type: list,
  },
  WAYBILL_LISTEN: {
    group: 'common',
    description: 'The address on which `serve` listens: HOST:PORT.',
    default: '127.0.0.1:8080',
    type: hostAndPort,
  },
  WAYBILL_TLS_CERTIFICATE_FILE: {
    group: 'common',
    description:
      'A certificate with its chain, in PEM: `serve` then speaks HTTPS itself. A new one is served within seconds. Empty: plain HTTP, for a proxy that terminates TLS.',
    default: '',
    type: filePath,
  },
  WAYBILL_TLS_KEY_FILE: {
    group: 'common',
    description: 'The private key of the certificate, in PEM, in a file that not everyone can read.',
    default: '',
    type: filePath,
  },
  WAYBILL_TRUSTED_PROXIES: {
    group: 'common',
    description: 'Addresses or networks (CIDR) whose X-Forwarded-For is trusted, separated by commas. Empty: none.',
    default: '',
    type: list,
  },
  WAYBILL_CSRF_LIFETIME_SECONDS: {
    group: 'tuning',
    description: 'How long a CSRF token is valid after its last use.',
    default: '900',
    type: integer(1, 86_400),
  },
  WAYBILL_FAILURES_PER_MINUTE: {
    group: 'tuning',
    description: 'The number of failed authentications that a client address may make in a minute before it gets 429.',
    default: '300',
    type: integer(1, 1_000_000),
  },
  WAYBILL_STOP_DELAY_SECONDS: {
    group: 'tuning',
    description:
      'After SIGTERM, how long `serve` reports on /readyz that it is not ready and keeps serving, so that load balancers can switch to other processes. Must be longer than they take to notice.',
    default: '6',
    type: integer(0, 3600),
  },
  WAYBILL_STOP_SECONDS: {
    group: 'tuning',
    description: 'After that, how long transfers of `serve` and jobs of `work` may take to finish before they are cut.',
    default: '600',
    type: integer(0, 86_400),
  },
} satisfies Record<string, Setting>;
