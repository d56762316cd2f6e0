import type { Setting } from '../setting.ts';
import { auditHttpsUrl, authorizationHeader, filePath, syslogUrl } from '../types.ts';

/** The systems to which every audit entry is sent. */
export const auditSettings = {
  WAYBILL_AUDIT_SYSLOG_URL: {
    group: 'common',
    description:
      'The syslog server to which every audit entry is sent, by RFC 5424 over TLS: syslog+tls://HOST:PORT. Without a port, 6514. Empty: none.',
    default: '',
    type: syslogUrl,
  },
  WAYBILL_AUDIT_HTTPS_URL: {
    group: 'common',
    description:
      'The address to which every audit entry is sent by POST, as events of OCSF, one JSON object on each line: https://HOST/PATH. Empty: none.',
    default: '',
    type: auditHttpsUrl,
  },
  WAYBILL_AUDIT_HTTPS_AUTHORIZATION: {
    group: 'common',
    description:
      'The value of the header Authorization in these requests, such as `Bearer TOKEN` or `Splunk TOKEN`. Empty: no such header.',
    default: '',
    secret: true,
    type: authorizationHeader,
  },
  WAYBILL_AUDIT_CA_FILE: {
    group: 'common',
    description:
      'The certificates (PEM) of the authorities that may have signed the certificate of a system to which the audit is sent. Empty: the same authorities as for all other connections.',
    default: '',
    type: filePath,
  },
  WAYBILL_AUDIT_CERTIFICATE_FILE: {
    group: 'common',
    description:
      'The certificate (PEM) by which the server identifies itself to these systems. Set it together with WAYBILL_AUDIT_KEY_FILE. Empty: none.',
    default: '',
    type: filePath,
  },
  WAYBILL_AUDIT_KEY_FILE: {
    group: 'common',
    description: 'The private key (PEM) of WAYBILL_AUDIT_CERTIFICATE_FILE.',
    default: '',
    type: filePath,
  },
} satisfies Record<string, Setting>;
