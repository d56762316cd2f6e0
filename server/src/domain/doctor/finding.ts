import { errors } from '@waybill/protocol';
import { ExchangeError } from '../exchange-error.ts';

export const ok = (check: string, says: string): Finding => ({ check, status: 'ok', says });
export const skipped = (check: string, says: string): Finding => ({ check, status: 'skipped', says });
export const warning = (check: string, says: string, remedy: string): Finding => ({
  check,
  status: 'warning',
  says,
  remedy,
});
export const fault = (check: string, says: string, remedy: string): Finding => ({
  check,
  status: 'fault',
  says,
  remedy,
});

const slightSkewMs = 2_000;
const badSkewMs = 60_000;

/** Compares an engine's clock with this machine's; both are milliseconds since 1970. */
export function clockFinding(check: string, engine: string, theirs: number, ours: number): Finding {
  const skewMs = theirs - ours;
  if (Math.abs(skewMs) < slightSkewMs) return ok(check, 'Its clock and this machine’s agree.');
  const says = `The clock of ${engine} is ${Math.round(Math.abs(skewMs) / 1000)} seconds ${skewMs > 0 ? 'ahead of' : 'behind'} this machine’s.`;
  const remedy = 'Synchronise both clocks with NTP: timedatectl shows the state of this machine’s.';
  return Math.abs(skewMs) < badSkewMs ? warning(check, says, remedy) : fault(check, says, remedy);
}

const dayMs = 86_400_000;
const renewDays = 14;
const renew =
  'Renew it, and find out why that did not happen by itself: certbot renew --dry-run shows what certbot would do.';

/** Judges how long a certificate is still valid. */
export function certificateFinding(check: string, until: Date, now: number): Finding {
  const days = Math.floor((until.getTime() - now) / dayMs);
  if (days < 0) return fault(check, `The certificate expired on ${until.toISOString().slice(0, 10)}.`, renew);
  const says = `The certificate is valid for another ${days} days.`;
  return days < renewDays ? warning(check, says, renew) : ok(check, says);
}

/** Describes a failed call: the reason that the engine or the system gave, on one line. */
export function reason(error: unknown): string {
  // The text of an outage is for callers of the API.
  if (error instanceof ExchangeError && error.message === errors.unavailable.message && error.cause) {
    return reason(error.cause);
  }
  const { message, code, name } = error as Error & { code?: unknown };
  const text = message || (typeof code === 'string' ? code : name);
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '').slice(0, 300);
}

/** Whether a TLS connection failed because of the certificate of the other side, by the codes of OpenSSL and Node. */
export function isCertificateError(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (/CERT|SIGNED|SIGNATURE|ALTNAME|ISSUER/.test(String((cause as { code?: unknown }).code))) return true;
  }
  return false;
}

export const privateAuthority =
  'If a private authority has issued it, name the file with that authority’s certificate in NODE_EXTRA_CA_CERTS in the environment file, and restart `serve` and `work`.';

/** The remedy of an engine that does not respond: another one if it does, with a certificate that is not accepted. */
export function reachRemedy(error: unknown, remedy: string): string {
  return isCertificateError(error)
    ? `Its certificate is not accepted. ${privateAuthority} Otherwise renew it, or correct the name by which it is called.`
    : remedy;
}

/** The result of an examination: for programs `check` and `status`, for the operator what was seen and what to do. */
export type Finding = {
  /** The subject of the examination, such as `s3.bucket`. */
  readonly check: string;
  readonly says: string;
} & (
  | { readonly status: 'ok' | 'skipped'; readonly remedy?: never }
  /** A warning works today and may fail later; with a fault, something does not work. */
  | { readonly status: 'warning' | 'fault'; readonly remedy: string }
);

/**
 * Examines one engine, as far as it gets: what an unreachable engine would have shown is left out. Reads the settings,
 * not the adapters, so that it also works with an engine that the program would not start with.
 */
export type Examine = () => AsyncIterable<Finding>;
