/**
 * Creates the passwords that the engines of compose.yaml start with, each only once, in the volume /etc/waybill. All
 * other secrets are made by `waybilld setup`, which needs the engines.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Secrets that an engine reads too, through the group of waybilld; the others are for waybilld alone. */
const shared = 0o640;
const own = 0o600;

const postgresPassword = secret('postgres-password', shared, () => randomBytes(24).toString('base64url'));
secret('database-url', own, () => `postgres://waybill:${postgresPassword}@postgres:5432/waybill`);
const secretKey = secret('s3-secret', own, () => randomBytes(24).toString('base64url'));
secret('s3.json', shared, () =>
  JSON.stringify({
    identities: [
      {
        name: 'waybill',
        credentials: [{ accessKey: 'waybill', secretKey }],
        actions: ['Admin', 'Read', 'Write', 'List', 'Tagging'],
      },
    ],
  }),
);

function secret(name: string, mode: number, make: () => string): string {
  const path = `/etc/waybill/${name}`;
  if (!existsSync(path)) {
    // Renamed, so that a start that is interrupted does not leave half a secret.
    writeFileSync(`${path}.new`, `${make()}\n`, { mode });
    renameSync(`${path}.new`, path);
  }
  return readFileSync(path, 'utf8').trim();
}
