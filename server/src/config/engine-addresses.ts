import type { EngineName } from '../domain/engine-name.ts';
import type { Config } from './config.ts';

/** The address of each engine as the log shows it: without credentials. */
export function toEngineAddresses(config: Config): Partial<Record<EngineName, string>> {
  return {
    postgres: withoutCredentials(config.WAYBILL_DATABASE_URL),
    valkey: withoutCredentials(config.WAYBILL_REDIS_URL),
    s3: `${config.WAYBILL_S3_ENDPOINT.replace(/\/$/, '')}/${config.WAYBILL_S3_BUCKET}`,
    clamd: config.WAYBILL_CLAMD,
    smtp: withoutCredentials(config.WAYBILL_SMTP_URL),
    ...(config.WAYBILL_SMS_URL && { sms: withoutCredentials(config.WAYBILL_SMS_URL.address) }),
    masterKeys: {
      file: config.WAYBILL_MASTER_KEY_FILE,
      vault: config.WAYBILL_VAULT_KEY,
      'aws-kms': config.WAYBILL_KMS_ENDPOINT || 'AWS KMS',
    }[config.WAYBILL_MASTER_KEYS],
  };
}

/** The host, port and path of a URL; of one that names a local socket, its folder. */
function withoutCredentials(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `${host || (searchParams.get('host') ?? '')}${pathname === '/' ? '' : pathname}`;
}
