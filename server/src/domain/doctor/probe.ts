import { createHmac, timingSafeEqual } from 'node:crypto';
import { deriveKey } from '../derive-key.ts';
import type { Random } from '../ports/random.ts';

/** The path to which the doctor sends its request, and the header that proves that it comes from the operator. */
export const probePath = '/doctor';
export const probeHeader = 'waybill-probe';
/** The media type of resumable uploads, so that the same limits apply. */
export const probeMediaType = 'application/offset+octet-stream';

const validSeconds = 300;
const shape = /^(\d{1,12}\.[0-9a-f]{32})\.([0-9a-f]{64})$/;

/** How a request looked when it arrived at `serve`. */
export interface ProbeResponse {
  /** The peer of the connection: the proxy, if there is one. */
  readonly connection: string;
  /** X-Forwarded-For as it arrived. */
  readonly forwarded: string | undefined;
  /** Whether that peer is one of our proxies, whose X-Forwarded-For counts. */
  readonly trusted: boolean;
  /** The address by which this client is counted. */
  readonly client: string;
  /** The time between the first and the last byte of the body. */
  readonly bodyMs: number;
}

/**
 * Signs a request with a key that only the operator's processes have. Others get the response of a path that does not
 * exist: how requests reach `serve` is of use to an attacker.
 */
export class ProbeTokens {
  readonly #key: Buffer;

  constructor(pepper: Buffer) {
    this.#key = deriveKey(pepper, 'waybill doctor');
  }

  make(random: Random, nowMs: number): string {
    const claim = `${Math.floor(nowMs / 1000)}.${random.bytes(16).toString('hex')}`;
    return `${claim}.${this.#computeMac(claim).toString('hex')}`;
  }

  isGenuine(token: unknown, nowMs: number): boolean {
    const [, claim, mac] = (typeof token === 'string' && shape.exec(token)) || [];
    if (claim === undefined || mac === undefined) return false;
    if (!timingSafeEqual(this.#computeMac(claim), Buffer.from(mac, 'hex'))) return false;
    return Math.abs(Number.parseInt(claim, 10) - nowMs / 1000) <= validSeconds;
  }

  #computeMac(claim: string): Buffer {
    return createHmac('sha256', this.#key).update(claim).digest();
  }
}
