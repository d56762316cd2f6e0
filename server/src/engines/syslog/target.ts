import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { FullAuditEntry } from '../../domain/audit/audit-store.ts';
import type { AuditTarget, ReadAuditTls } from '../../domain/audit/audit-target.ts';
import { type AuditJson, toAuditJson } from '../../domain/audit/to-audit-json.ts';
import { closedByTarget, toTargetError } from '../../domain/audit/to-target-error.ts';

export interface SyslogTargetOptions {
  readonly host: string;
  readonly port: number;
  /** The name of this installation in every message. */
  readonly hostname: string;
  readonly readTls: ReadAuditTls;
  readonly settleMs?: number;
}

/** A receiver writes what it has read within milliseconds, unless it is overloaded. */
const defaultSettleMs = 5_000;
/** A connection that carries nothing is probed by TCP, so that a machine that is gone is noticed. */
const probeAfterMs = 10_000;

/**
 * Syslog has no confirmations, so every batch has a connection of its own: after its last byte we end our direction of
 * it, and a receiver that has read everything ends the other one. That a receiver has read entries does not mean that
 * it has stored them. A second connection, over which nothing is sent, is open before a batch is sent and remains
 * open: if the receiver stops or restarts, this connection is lost, and the last entries are sent again.
 */
export function syslogTarget(options: SyslogTargetOptions): AuditTarget {
  const { settleMs = defaultSettleMs } = options;
  let watch: TLSSocket | undefined;
  let isLost = false;

  const openWatch = async (signal: AbortSignal) => {
    const socket = await openConnection(options, signal);
    const lose = () => {
      if (watch === socket) isLost = true;
    };
    watch = socket.resume().on('end', lose).on('close', lose).on('error', lose);
  };

  const explain = (cause: Error, signal: AbortSignal) => toTargetError(cause, signal, 'WAYBILL_AUDIT_SYSLOG_URL');

  const sendBatch = async (text: string, signal: AbortSignal) => {
    const socket = await openConnection(options, signal);
    try {
      await sendAndEnd(socket, text, signal);
    } finally {
      socket.destroy();
    }
  };

  const sendMessages = async (entries: readonly FullAuditEntry[], signal: AbortSignal) => {
    if (isLost) throw closedByTarget();
    if (!watch) await openWatch(signal);
    const messages = entries.map((entry) => frameMessage(formatMessage(entry, options.hostname)));
    await sendBatch(messages.join(''), signal);
    if (isLost) throw closedByTarget();
  };

  return {
    settleMs,
    get isLost() {
      return isLost;
    },
    send: (entries, signal) =>
      sendMessages(entries, signal).catch((cause: Error) => {
        throw explain(cause, signal);
      }),
    async probe(signal) {
      // With TLS 1.3, only a connection that is used shows whether the receiver accepts our certificate.
      await sendBatch('', signal).catch((cause: Error) => {
        throw explain(cause, signal);
      });
    },
    close() {
      watch?.destroy();
      watch = undefined;
      isLost = false;
    },
  };
}

async function openConnection({ host, port, readTls }: SyslogTargetOptions, signal: AbortSignal): Promise<TLSSocket> {
  const tls = await readTls();
  const servername = isIP(host) === 0 ? host : '';
  const socket = connect({ ...tls, host, port, servername, minVersion: 'TLSv1.2' });
  socket.setKeepAlive(true, probeAfterMs);
  try {
    await once(socket, 'secureConnect', { signal });
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
  return socket;
}

/** Resolves when the receiver has closed the connection because it has read everything. */
async function sendAndEnd(socket: TLSSocket, text: string, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => socket.destroy(signal.reason as Error);
  let isEnding = false;
  socket
    .on('error', reject)
    .on('close', () => reject(closedByTarget()))
    .on('end', () => (isEnding ? resolve() : reject(closedByTarget())))
    .resume();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  // Only what the operating system has taken is followed by our end: an end that comes before is not a response to it.
  socket.write(text, (error) => {
    if (error || socket.destroyed) return;
    isEnding = true;
    socket.end();
  });
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

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
