import { readFile } from 'node:fs/promises';
import type { Config } from '../config/config.ts';
import { version } from '../config/version.ts';
import type { AuditTarget, ReadAuditTls } from '../domain/audit/audit-target.ts';
import type { AuditTargetName } from '../domain/audit/audit-target-store.ts';
import { httpsAuditTarget } from '../engines/outgoing/https-audit-target.ts';
import { syslogTarget } from '../engines/syslog/target.ts';

/** The settings that say where the audit is sent to. */
export const auditTargetSettings = [
  'WAYBILL_AUDIT_SYSLOG_URL',
  'WAYBILL_AUDIT_HTTPS_URL',
  'WAYBILL_AUDIT_HTTPS_AUTHORIZATION',
  'WAYBILL_AUDIT_CA_FILE',
  'WAYBILL_AUDIT_CERTIFICATE_FILE',
  'WAYBILL_AUDIT_KEY_FILE',
  'WAYBILL_PUBLIC_URL',
] as const;
export type AuditTargetConfig = Pick<Config, (typeof auditTargetSettings)[number]>;

export function openAuditTargets(config: AuditTargetConfig): ReadonlyMap<AuditTargetName, AuditTarget> {
  const { WAYBILL_AUDIT_SYSLOG_URL: syslog, WAYBILL_AUDIT_HTTPS_URL: url } = config;
  const readTls = auditTlsReader(config);
  const targets = new Map<AuditTargetName, AuditTarget>();
  if (syslog) {
    targets.set('syslog', syslogTarget({ ...syslog, hostname: new URL(config.WAYBILL_PUBLIC_URL).hostname, readTls }));
  }
  if (url !== '') {
    const authorization = config.WAYBILL_AUDIT_HTTPS_AUTHORIZATION;
    targets.set('https', httpsAuditTarget({ url, authorization, version, readTls }));
  }
  return targets;
}

/** Read again for every connection, so that a renewed certificate needs no restart. */
function auditTlsReader(config: AuditTargetConfig): ReadAuditTls {
  const paths = {
    ca: config.WAYBILL_AUDIT_CA_FILE,
    cert: config.WAYBILL_AUDIT_CERTIFICATE_FILE,
    key: config.WAYBILL_AUDIT_KEY_FILE,
  };
  return async () => {
    const given = Object.entries(paths).filter(([, path]) => path !== '');
    return Object.fromEntries(
      await Promise.all(given.map(async ([name, path]) => [name, await readFile(path, 'utf8')])),
    );
  };
}
