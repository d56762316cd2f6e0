import {
  type Authorities,
  formatTimeStampRequest,
  maxTokenBytes,
  readTimeStampResponse,
  TimeStampError,
  verifyTimeStamp,
} from '@waybill/evidence';
import type { Random } from '../../domain/ports/random.ts';
import type { TimeStampAuthority } from '../../domain/ports/time-stamp-authority.ts';
import { describeFailure, readBounded } from './fetch-bounded.ts';

export interface TimeStampAuthorityOptions {
  readonly url: string;
  /** The value of the header Authorization; empty if there is none. */
  readonly authorization: string;
  /** The certificates that its time stamps must lead to; undefined if the operator has named none. */
  readonly authorities: Authorities | undefined;
  readonly everySeconds: number;
  readonly random: Pick<Random, 'bytes'>;
  readonly timeoutMs?: number;
}

const nonceBytes = 16;
/** A token, and what a response has around it. */
const maxResponseBytes = maxTokenBytes + 1_024;

/** Requests time stamps over HTTP (RFC 3161, section 3.4). The address is the operator's own choice. */
export function timeStampAuthority({
  url,
  authorization,
  authorities,
  everySeconds,
  random,
  timeoutMs = 15_000,
}: TimeStampAuthorityOptions): TimeStampAuthority {
  const headers = {
    'content-type': 'application/timestamp-query',
    accept: 'application/timestamp-reply',
    ...(authorization !== '' && { authorization }),
  };

  const request = async (body: Uint8Array<ArrayBuffer>, signal: AbortSignal): Promise<Buffer> => {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    try {
      const response = await fetch(url, { method: 'POST', headers, body, redirect: 'error', signal: limit });
      const content = await readBounded(response, maxResponseBytes);
      if (response.status !== 200) throw new TimeStampError(`The response was ${response.status}`);
      return content;
    } catch (cause) {
      signal.throwIfAborted();
      if (cause instanceof TimeStampError) throw cause;
      throw new TimeStampError(describeFailure(cause, timeoutMs), { cause });
    }
  };

  return {
    everySeconds,
    isVerified: authorities !== undefined,
    async stamp(text, signal) {
      const nonce = random.bytes(nonceBytes);
      const response = await request(Uint8Array.from(formatTimeStampRequest(text, nonce)), signal);
      const token = readTimeStampResponse(response, text, nonce);
      if (authorities) await verifyTimeStamp(token, text, authorities);
      return Buffer.from(token);
    },
  };
}
