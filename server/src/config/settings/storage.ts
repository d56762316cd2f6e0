import type { Setting } from '../setting.ts';
import { address, integer, redisAddress, text } from '../types.ts';

/** PostgreSQL, Valkey or Redis, and the object store. */
export const storageSettings = {
  WAYBILL_DATABASE_URL: {
    group: 'required',
    description:
      'PostgreSQL: postgres://USER:PASSWORD@HOST:PORT/DATABASE, or postgres:///DATABASE?host=FOLDER&user=USER for a socket.',
    secret: true,
    type: address('postgres', 'postgresql'),
  },
  WAYBILL_REDIS_URL: {
    group: 'required',
    description: 'Valkey or Redis: redis://HOST:PORT, rediss:// for TLS, or the path of its socket. Not a cluster.',
    secret: true,
    type: redisAddress,
  },
  WAYBILL_S3_ENDPOINT: {
    group: 'required',
    description: 'The S3 server: http(s)://HOST:PORT.',
    type: address('http', 'https'),
  },
  WAYBILL_S3_REGION: { group: 'common', description: 'The S3 region.', default: 'us-east-1', type: text },
  WAYBILL_S3_BUCKET: {
    group: 'required',
    description: 'The bucket for the sealed bytes. `waybilld setup` creates it if it does not exist.',
    type: text,
  },
  WAYBILL_S3_ACCESS_KEY_ID: { group: 'required', description: 'The S3 access key.', type: text },
  WAYBILL_S3_SECRET_ACCESS_KEY: { group: 'required', description: 'The S3 secret key.', secret: true, type: text },
  WAYBILL_DATABASE_CONNECTIONS: {
    group: 'tuning',
    description: 'The maximum number of connections that a process opens to PostgreSQL. `work` needs at least 7.',
    default: '10',
    type: integer(2, 1000),
  },
  WAYBILL_SCRUB_BYTES_PER_SECOND: {
    group: 'tuning',
    description:
      'How fast the `work` processes together read stored files again in order to find damage, once a week at most. 0: not at all.',
    default: String(4 * 1024 ** 2),
    type: integer(0, 1024 ** 4),
  },
} satisfies Record<string, Setting>;
