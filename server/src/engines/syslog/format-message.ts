import type { FullAuditEntry } from '../../domain/audit/audit-store.ts';
import { type AuditJson, toAuditJson } from '../../domain/audit/to-audit-json.ts';

/** RFC 5425 asks every receiver to accept messages of this size. */
const maxMessageBytes = 8192;
/** A value of structured data is shorter than this, so that the head of a message always fits. */
const maxValueLength = 255;
/** Facility 13 is that of audits. */
const facility = 13;
const severities = { warning: 4, notice: 5, informational: 6 } as const;
/** 32473 is the enterprise number that RFC 5612 reserves for names which nobody has registered. */
const structuredDataId = 'waybill@32473';

/**
 * One audit entry as a message of RFC 5424. Its text is a JSON object in ASCII, because a text in UTF-8 would have to
 * begin with a byte order mark, which programs that read JSON do not expect. What is too long for a message is left
 * out, and the message says so.
 */
export function formatMessage(entry: FullAuditEntry, hostname: string): string {
  const object = toAuditJson(entry);
  const whole = joinMessage(object, hostname);
  if (Buffer.byteLength(whole) <= maxMessageBytes) return whole;
  const { details: _details, before: _before, after: _after, addresses: _addresses, ...rest } = object;
  return joinMessage({ ...rest, truncated: true }, hostname);
}

/** Octet counting of RFC 6587 and RFC 5425: a text may contain anything, also a line break. */
export function frameMessage(message: string): string {
  return `${Buffer.byteLength(message)} ${message}`;
}

type Head = Pick<AuditJson, 'id' | 'at' | 'account_id' | 'actor' | 'action'> & { readonly truncated?: true };

function joinMessage(object: Head, hostname: string): string {
  const { id, at, account_id, actor, action, truncated } = object;
  const priority = facility * 8 + severities[judgeSeverity(action)];
  const values = {
    id,
    account_id,
    actor_kind: actor.kind,
    actor_id: actor.id,
    actor_name: actor.name,
    actor_address: actor.address,
    truncated: truncated ? 'true' : '',
  };
  const data = Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => ` ${name}="${escapeValue(value)}"`);
  const head = `<${priority}>1 ${at} ${toName(hostname, 255)} waybill - ${toName(action, 32)}`;
  return `${head} [${structuredDataId}${data.join('')}] ${escapeNonAscii(JSON.stringify(object))}`;
}

function judgeSeverity(action: string): keyof typeof severities {
  if (/\.(?:sign_in_failed|sign_in_limited|reported|undeliverable)$/.test(action)) return 'warning';
  return /^(?:account|key|person|hold|member)\./.test(action) ? 'notice' : 'informational';
}

/** A name in the head of a message: printable ASCII without spaces. */
function toName(text: string, length: number): string {
  return text.replaceAll(/[^!-~]/g, '?').slice(0, length) || '-';
}

function escapeValue(value: string): string {
  return value
    .replaceAll(/\p{Cc}/gu, '?')
    .slice(0, maxValueLength)
    .toWellFormed()
    .replaceAll(/["\\\]]/g, '\\$&');
}

function escapeNonAscii(json: string): string {
  return json.replaceAll(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
