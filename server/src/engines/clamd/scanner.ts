import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { reason as describe } from '../../domain/doctor/finding.ts';
import { discardableBytes } from '../../domain/flow/discard-buffer.ts';
import type { Scan, Scanner, ScanSource, Verdict } from '../../domain/ports/scanner.ts';
import { recognizeEncryption } from '../../domain/uploads/recognize-encryption.ts';
import { findFailure, openConnection } from './connection.ts';
import { type Stream, StreamSlots } from './stream-slots.ts';

const unavailable: Verdict = { result: 'unscanned', why: 'unavailable' };
const interrupted: Verdict = { result: 'unscanned', why: 'interrupted' };
const tooLarge: Verdict = { result: 'unscanned', why: 'too_large' };
const encrypted: Verdict = { result: 'unscanned', why: 'encrypted' };

const defaults = {
  /** How long clamd may take to accept a connection. */
  connectMs: 3_000,
  /** How long clamd may accept no byte, or not respond to PING, before it counts as unavailable. */
  silenceMs: 10_000,
  /** How long clamd may take for its verdict after the last byte. */
  verdictMs: 600_000,
  maxBytes: 100 * 1024 * 1024,
  /** The maximum number of open streams in this process. */
  maxStreams: 20,
  /** Milliseconds of a monotonic clock. */
  now: () => performance.now(),
  /** Called with the reason when clamd gives no verdict. */
  onFault: (_reason: string): void => undefined,
};
type Limits = Readonly<typeof defaults>;

export interface ClamdOptions extends Partial<Limits> {
  /** `host:port`, or the path of a local socket. */
  readonly address: string;
}

/**
 * clamd's INSTREAM: length-prefixed pieces, a zero length, and a one-line reply. Above its StreamMaxLength, clamd
 * replies at once and cuts the connection while we are still writing, so we listen for the reply all the time.
 */
export function clamdScanner(options: ClamdOptions): Scanner {
  const settings = { ...defaults, ...options };
  const slots = new StreamSlots(settings.maxStreams, settings.now);
  return {
    maxBytes: settings.maxBytes,
    begin: recognizeEncryption((source) => new InstreamScan(settings, slots, source)),
  };
}

/** No timer runs while the uploader is silent: only clamd's own work has a deadline. */
class InstreamScan implements Scan, Stream {
  readonly #options: Required<ClamdOptions>;
  readonly #slots: StreamSlots;
  readonly #verdict = Promise.withResolvers<Verdict>();
  readonly #settled = new AbortController();
  readonly source: ScanSource;
  #opened: Promise<Socket | undefined> | undefined;
  sentBytes = 0;
  complete = false;
  early: Verdict | undefined;

  constructor(options: Required<ClamdOptions>, slots: StreamSlots, source: ScanSource) {
    this.#options = options;
    this.#slots = slots;
    this.source = source;
  }

  async write(bytes: Buffer): Promise<void> {
    if (bytes.length === 0 || this.early) return;
    this.sentBytes += bytes.length;
    if (this.sentBytes > this.#options.maxBytes) return this.#settle(tooLarge);
    const socket = await this.#open();
    if (!socket || this.early) return;
    await this.#send(socket, bytes);
  }

  async verdict(): Promise<Verdict> {
    this.complete = true;
    if (this.early) return this.early;
    const socket = await this.#open();
    if (socket && !this.early) {
      socket.write(Buffer.alloc(4));
      this.#failAfter(this.#options.verdictMs, 'no verdict');
      void this.#watchOverClamd();
    }
    return this.#verdict.promise;
  }

  abandon(): void {
    this.#settle(interrupted);
  }

  /** Opened by the first byte, because an upload that has sent none needs no stream. */
  #open(): Promise<Socket | undefined> {
    this.#opened ??= this.#connect();
    return this.#opened;
  }

  async #connect(): Promise<Socket | undefined> {
    const waiting = this.#failAfter(this.#options.verdictMs, 'no stream became free');
    const isAcquired = await this.#slots.acquire(this);
    clearTimeout(waiting);
    if (!isAcquired) this.#settle(interrupted);
    if (this.early) {
      this.#slots.release(this);
      return undefined;
    }

    const socket = openConnection(this.#options.address);
    this.#settled.signal.addEventListener('abort', () => socket.destroy());
    const connecting = this.#failAfter(this.#options.connectMs, 'no connection');
    let failure: string | undefined = 'the connection was closed';
    socket.on('connect', () => {
      clearTimeout(connecting);
      failure = undefined;
    });
    // Errors are followed by 'close'.
    socket.on('error', (error) => (failure &&= describe(error)));
    socket.on('close', () => (failure === undefined ? this.#settle(interrupted) : this.#fail(failure)));
    socket.on('timeout', () => this.#fail(`no byte was accepted within ${this.#options.silenceMs} ms`));
    let response = '';
    socket.on('data', (bytes) => {
      response += bytes.toString('latin1');
      if (response.includes('\0')) this.#judge(response.slice(0, response.indexOf('\0')));
      else if (response.length > 4096) this.#fail('its response is too long');
    });
    socket.write('zINSTREAM\0');
    return socket;
  }

  /**
   * Ends when clamd has accepted the bytes, or the connection is closed. Small pieces are copied and do not wait while there
   * is room: a slow upload is not silence while its stream waits for one of clamd's threads.
   */
  async #send(socket: Socket, bytes: Buffer): Promise<void> {
    const accepted = Promise.withResolvers<void>();
    const isSmall = bytes.length < discardableBytes;
    const length = Buffer.allocUnsafe(4);
    length.writeUInt32BE(bytes.length);
    // Both in one call of the system.
    socket.cork();
    socket.write(length);
    const hasRoom = socket.write(isSmall ? Buffer.from(bytes) : bytes, () => accepted.resolve());
    socket.uncork();
    if (isSmall && hasRoom) return;
    // The socket's own timeout restarts whenever clamd has accepted some of the bytes.
    socket.setTimeout(this.#options.silenceMs);
    await accepted.promise;
    socket.setTimeout(0);
  }

  /**
   * A scan may take minutes, during which clamd says nothing on this connection, so another connection checks that it
   * is alive.
   */
  async #watchOverClamd(): Promise<void> {
    const { address, silenceMs } = this.#options;
    while (!this.early) {
      const failure = await findFailure(address, silenceMs, this.#settled.signal);
      if (failure !== undefined) return this.#fail(failure);
      await pause(silenceMs, undefined, { signal: this.#settled.signal }).catch(() => undefined);
    }
  }

  #judge(response: string): void {
    const verdict = parseVerdict(response);
    if (verdict === unavailable) this.#fail(response);
    else this.#settle(verdict);
  }

  #fail(reason: string): void {
    if (this.early) return;
    this.#options.onFault(reason);
    this.#settle(unavailable);
  }

  #failAfter(ms: number, what: string): NodeJS.Timeout {
    const timer = setTimeout(() => this.#fail(`${what} within ${ms} ms`), ms);
    this.#settled.signal.addEventListener('abort', () => clearTimeout(timer));
    return timer;
  }

  #settle(verdict: Verdict): void {
    if (this.early) return;
    // A file that was already read back cannot be scanned in any better way: only waiting helps.
    this.early = verdict === interrupted && this.source === 'stored' ? unavailable : verdict;
    this.#settled.abort();
    this.#slots.release(this);
    this.#verdict.resolve(this.early);
  }
}

/** clamd reports what it could not inspect as findings, because AlertExceedsMax and AlertEncrypted are set. */
function parseVerdict(response: string): Verdict {
  if (response === 'stream: OK') return { result: 'clean' };
  const signature = /^stream: (.+) FOUND$/.exec(response)?.[1];
  if (signature?.startsWith('Heuristics.Limits.Exceeded')) return tooLarge;
  if (signature?.startsWith('Heuristics.Encrypted')) return encrypted;
  if (signature) return { result: 'infected', signature };
  return response.includes('size limit exceeded') ? tooLarge : unavailable;
}
