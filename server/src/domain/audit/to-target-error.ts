import { AuditTargetError } from './audit-target.ts';

const seeLog = 'Look at the log of the target. The entries are sent as soon as it takes them.';
const reach = (setting: string) =>
  `Start the target, check that this machine may connect to it, or correct ${setting}. Until then, entries wait in the database.`;
const identify =
  'The target asks for a certificate: set WAYBILL_AUDIT_CERTIFICATE_FILE and WAYBILL_AUDIT_KEY_FILE to one of an authority that it knows.';
const explainClosed = `${seeLog} It may expect a certificate (WAYBILL_AUDIT_CERTIFICATE_FILE).`;

/** By the code of an error of a connection, the first that matches. */
const remedies: readonly (readonly [code: RegExp, remedy: (setting: string) => string])[] = [
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    (setting) =>
      `Use a host name of the target’s certificate in ${setting}, or give the target a certificate with this name.`,
  ],
  [
    /SELF_SIGNED_CERT|UNABLE_TO_(?:VERIFY|GET_ISSUER)|^CERT_UNTRUSTED$/,
    () => 'Put the authority of the target’s certificate in a file, and its path in WAYBILL_AUDIT_CA_FILE.',
  ],
  [
    /^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/,
    () => 'Renew the certificate of the target, or correct the clock of this machine.',
  ],
  [/ALERT_(?:CERTIFICATE_|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/, () => identify],
  [/^ERR_SSL_/, (setting) => `Make the target use TLS 1.2 or later on the port of ${setting}, or correct the port.`],
  [
    /^(?:ENOENT|EACCES|ERR_OSSL_.*)$/,
    () =>
      'Correct WAYBILL_AUDIT_CA_FILE, WAYBILL_AUDIT_CERTIFICATE_FILE and WAYBILL_AUDIT_KEY_FILE: `work` must be able to read these files.',
  ],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, () => explainClosed],
];

/** Says what an operator can do about a connection to a target that failed. The setting contains its URL. */
export function toTargetError(cause: Error, signal: AbortSignal, setting: string): AuditTargetError {
  if (cause instanceof AuditTargetError) return cause;
  if (signal.aborted) return new AuditTargetError('There was no response in time', reach(setting), { cause });
  const { code = '' } = cause as NodeJS.ErrnoException;
  const [, remedy = reach] = remedies.find(([pattern]) => pattern.test(code)) ?? [];
  return new AuditTargetError(describeCause(cause), remedy(setting), { cause });
}

/** Without what is meant for those who write programs: addresses in memory, and options of Node. */
function describeCause(cause: Error & { readonly reason?: string; readonly code?: string }): string {
  const { message, reason, code, name } = cause;
  if (reason !== undefined && code?.startsWith('ERR_SSL_')) return reason;
  return message.replace(/; if the root CA is installed locally.*$/, '') || (code ?? name);
}

/** The target has closed a connection without a reason. */
export function closedByTarget(): AuditTargetError {
  return new AuditTargetError('The target has closed the connection', explainClosed);
}

/** Says what an operator can do about the status of a response. */
export function toResponseError(status: number, retryAfterSeconds: number | undefined): AuditTargetError {
  const isRefusal = [400, 413, 415, 422].includes(status);
  return new AuditTargetError(`The response was ${status}`, remedyFor(status, isRefusal), {
    isRefusal,
    retryAfterSeconds,
  });
}

function remedyFor(status: number, isRefusal: boolean): string {
  if (isRefusal) return 'Look at the log of the target for the reason, and make it accept these entries.';
  if (status === 401 || status === 403) return 'Correct WAYBILL_AUDIT_HTTPS_AUTHORIZATION, and restart `work`.';
  if (status < 400 || status === 404 || status === 405) {
    return 'Correct WAYBILL_AUDIT_HTTPS_URL, and restart `work`. Redirects are not followed.';
  }
  return seeLog;
}
