import { type Dispatcher, Pool } from 'undici';
import type { FullAuditEntry } from '../../domain/audit/audit-store.ts';
import type { AuditTarget, ReadAuditTls } from '../../domain/audit/audit-target.ts';
import { toOcsf } from '../../domain/audit/to-ocsf.ts';
import { toResponseError, toTargetError } from '../../domain/audit/to-target-error.ts';
import { retryAfterSeconds } from './retry-after.ts';

export interface HttpsAuditTargetOptions {
  readonly url: string;
  /** The value of the header Authorization; empty if there is none. */
  readonly authorization: string;
  /** Of this program. */
  readonly version: string;
  readonly readTls: ReadAuditTls;
}

/** Only the status counts. */
const maxResponseBytes = 64 * 1024;
/** A common limit of servers is a megabyte. */
const maxBodyBytes = 768 * 1024;

/**
 * Sends entries as events of OCSF, one JSON object on each line. The address is the operator's, so it may be anywhere,
 * unlike that of a webhook. A status of 2xx means that the target has stored the entries.
 */
export function httpsAuditTarget({ url, authorization, version, readTls }: HttpsAuditTargetOptions): AuditTarget {
  const { origin, pathname, search } = new URL(url);
  const headers = { 'content-type': 'application/x-ndjson', ...(authorization !== '' && { authorization }) };
  let pool: Pool | undefined;

  const request = async (method: 'HEAD' | 'POST', body: string | null, signal: AbortSignal) => {
    pool ??= new Pool(origin, { allowH2: false, connections: 1, pipelining: 1, connect: await readTls() });
    const response = await pool.request({ method, path: pathname + search, headers, body, signal });
    await response.body.dump({ limit: maxResponseBytes }).catch(() => undefined);
    return response;
  };
  const explain = (cause: Error, signal: AbortSignal) => toTargetError(cause, signal, 'WAYBILL_AUDIT_HTTPS_URL');

  return {
    settleMs: 0,
    isLost: false,
    async send(entries, signal) {
      try {
        for (const body of toBodies(entries, version)) throwUnlessTaken(await request('POST', body, signal));
      } catch (cause) {
        throw explain(cause as Error, signal);
      }
    },
    async probe(signal) {
      // Any status will do: only a POST with entries shows whether the target takes them.
      await request('HEAD', null, signal).catch((cause: Error) => {
        throw explain(cause, signal);
      });
    },
    close() {
      void pool?.destroy().catch(() => undefined);
      pool = undefined;
    },
  };
}

/** As few as possible, each below the limit unless a single entry is larger. */
function* toBodies(entries: readonly FullAuditEntry[], version: string): Generator<string> {
  let lines: string[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const line = `${JSON.stringify(toOcsf(entry, version))}\n`;
    const lineBytes = Buffer.byteLength(line);
    if (lines.length > 0 && bytes + lineBytes > maxBodyBytes) {
      yield lines.join('');
      lines = [];
      bytes = 0;
    }
    lines.push(line);
    bytes += lineBytes;
  }
  if (lines.length > 0) yield lines.join('');
}

function throwUnlessTaken({ statusCode, headers }: Dispatcher.ResponseData): void {
  if (statusCode >= 200 && statusCode < 300) return;
  throw toResponseError(statusCode, retryAfterSeconds(headers['retry-after'], headers['date']));
}
