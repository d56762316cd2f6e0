import { connect, type NetConnectOpts, type Socket } from 'node:net';
import type { Scan, Scanner, Verdict } from '../../domain/ports.ts';

const unavailable: Verdict = { result: 'unscanned', why: 'unavailable' };

export interface ClamdOptions {
  /** `host:port`, or the path of a local socket. */
  readonly address: string;
  /** How long clamd may stay silent or take nothing before it counts as away. */
  readonly timeoutMs: number;
}

/**
 * clamd's INSTREAM: length-prefixed pieces, a zero length, one line of answer. Over its StreamMaxLength clamd answers
 * at once and cuts the connection while we still write, so the answer is read all along.
 */
export function clamdScanner(options: ClamdOptions): Scanner {
  return { maxBytes: Number.POSITIVE_INFINITY, begin: () => new InstreamScan(options) };
}

class InstreamScan implements Scan {
  readonly #socket: Socket;
  readonly #verdict: Promise<Verdict>;
  early: Verdict | undefined;

  constructor({ address, timeoutMs }: ClamdOptions) {
    const socket = connect(target(address));
    this.#socket = socket;
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    this.#verdict = promise;
    const settle = (verdict: Verdict) => {
      this.early ??= verdict;
      socket.destroy();
      resolve(this.early);
    };
    let answer = '';
    socket.setTimeout(timeoutMs, () => settle(unavailable));
    socket.on('error', () => settle(unavailable));
    socket.on('close', () => settle(unavailable));
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1');
      if (answer.includes('\0')) settle(verdictOf(answer.slice(0, answer.indexOf('\0'))));
      else if (answer.length > 4096) settle(unavailable);
    });
    socket.write('zINSTREAM\0');
  }

  async write(bytes: Buffer): Promise<void> {
    if (this.early || bytes.length === 0) return;
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(bytes.length);
    this.#socket.write(length);
    if (this.#socket.write(bytes)) return;
    await new Promise<void>((resolve) => {
      const go = () => {
        this.#socket.off('drain', go).off('close', go);
        resolve();
      };
      this.#socket.on('drain', go).on('close', go);
    });
  }

  verdict(): Promise<Verdict> {
    if (!this.early) this.#socket.write(Buffer.alloc(4));
    return this.#verdict;
  }

  abandon(): void {
    this.#socket.destroy();
  }
}

function verdictOf(answer: string): Verdict {
  if (answer === 'stream: OK') return { result: 'clean' };
  const found = /^stream: (.+) FOUND$/.exec(answer);
  // AlertExceedsMax reports what clamd did not look into as a finding; it is none.
  if (found?.[1]?.startsWith('Heuristics.Limits.Exceeded')) return { result: 'unscanned', why: 'too_large' };
  if (found?.[1]) return { result: 'infected', signature: found[1] };
  if (answer.includes('size limit exceeded')) return { result: 'unscanned', why: 'too_large' };
  return unavailable;
}

function target(address: string): NetConnectOpts {
  if (address.startsWith('/')) return { path: address };
  const { hostname, port } = new URL(`tcp://${address}`);
  return { host: hostname, port: Number(port) };
}
