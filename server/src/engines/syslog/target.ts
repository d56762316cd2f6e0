import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { FullAuditEntry } from '../../domain/audit/audit-store.ts';
import type { AuditTarget, ReadAuditTls } from '../../domain/audit/audit-target.ts';
import { closedByTarget, toTargetError } from '../../domain/audit/to-target-error.ts';
import { formatMessage, frameMessage } from './format-message.ts';

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
