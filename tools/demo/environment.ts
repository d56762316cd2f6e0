import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const projectDir = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
export const enginesDir = process.env['WAYBILL_ENGINES_DIR'] ?? `${projectDir}/.engines`;
export const demoDir = `${enginesDir}/demo`;
export const demoDatabase = 'waybill_demo';
export const demoBucket = 'waybill-demo';
export const waybilld = `${projectDir}/server/dist/main.js`;

/** Settings that a caller of the demo may override. */
const adjustable = [
  'WAYBILL_OPERATOR_NAME',
  'WAYBILL_SCAN',
  'WAYBILL_SCRUB_BYTES_PER_SECOND',
  'WAYBILL_SECOND_FACTOR',
  'WAYBILL_LOG_LEVEL',
  'WAYBILL_LIFETIME_UNIT',
  'WAYBILL_LIFETIME_MAX',
];

/** The settings of waybilld for this machine's engines, given the public address, which the demo decides. */
export function engineEnvironment(publicUrl: string): Record<string, string> {
  return {
    WAYBILL_PUBLIC_URL: publicUrl,
    WAYBILL_DATABASE_URL: `postgres://postgres@127.0.0.1:5544/${demoDatabase}`,
    WAYBILL_REDIS_URL: 'redis://127.0.0.1:6399/1',
    WAYBILL_S3_ENDPOINT: 'http://127.0.0.1:7480',
    WAYBILL_S3_BUCKET: demoBucket,
    WAYBILL_S3_ACCESS_KEY_ID: 'waybill',
    WAYBILL_S3_SECRET_ACCESS_KEY: 'waybill-secret',
    WAYBILL_MASTER_KEY_FILE: secretFile('master-keys', () => `1:${randomBytes(32).toString('base64')}\n`),
    WAYBILL_KEY_PEPPER_FILE: secretFile('key-pepper', () => `${randomBytes(32).toString('base64')}\n`),
    WAYBILL_CLAMD: '127.0.0.1:3310',
    // The demo must withstand hard testing.
    WAYBILL_MESSAGES_PER_ACCOUNT: '1000000',
    WAYBILL_MESSAGES_PER_RECEIVER: '1000000',
    WAYBILL_RECEIVER_MESSAGES_PER_HOUR: '1000000',
    // Large files exceed the scanner's limit, and the demo should accept them.
    WAYBILL_SCAN: 'best-effort',
    WAYBILL_SMTP_URL: 'smtp://127.0.0.1:2525?ignoreTLS=true',
    WAYBILL_MAIL_FROM: 'waybill@files.test',
    WAYBILL_SMS_URL: 'http://waybill:waybill@127.0.0.1:13013/cgi-bin/sendsms',
    WAYBILL_LOG_LEVEL: 'warn',
    // Integrators try their webhooks on this machine.
    WAYBILL_WEBHOOK_ALLOW: '127.0.0.0/8, ::1',
    WAYBILL_WEBHOOK_HTTP: 'allowed',
    // Ctrl-C ends the demo at once: its proxy stops first, so no one has to notice and nothing is worth waiting for.
    WAYBILL_STOP_DELAY_SECONDS: '0',
    WAYBILL_STOP_SECONDS: '5',
    ...Object.fromEntries(adjustable.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : []))),
  };
}

/** The environment of the running demo, for starting another process alongside it. */
export function demoEnvironment(): Record<string, string> {
  const path = `${demoDir}/environment.json`;
  if (!existsSync(path)) throw new Error('No demo is running: start one with `npm run demo`.');
  return JSON.parse(readFileSync(path, 'utf8')) as Record<string, string>;
}

function secretFile(name: string, make: () => string): string {
  mkdirSync(demoDir, { recursive: true });
  const path = `${demoDir}/${name}`;
  if (!existsSync(path)) writeFileSync(path, make(), { mode: 0o600 });
  return path;
}
