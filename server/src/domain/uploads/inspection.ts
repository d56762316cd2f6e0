import { createHash } from 'node:crypto';
import { ExchangeError } from '../exchange-error.ts';
import type { Engines, Policy, Scan, ScanSource, Verdict } from '../ports.ts';

type Needs = Pick<Engines, 'scanner' | 'policy'>;

/**
 * What is found out about a file's bytes as they pass: their digest, and the virus scanner's verdict. Where the scanner
 * could not follow, because the sender paused or was slow, the stored bytes are read back for it at the end: how a file
 * was sent never changes its verdict.
 */
export class Inspection {
  readonly #digest = createHash('sha256');
  readonly #engines: Needs;
  readonly #scan: Scan | undefined;

  constructor(engines: Needs) {
    this.#engines = engines;
    this.#scan = beginScan(engines, 'arriving');
  }

  async update(bytes: Buffer): Promise<void> {
    this.#digest.update(bytes);
    if (!this.#scan || isInterrupted(this.#scan.early)) return;
    await this.#scan.write(bytes);
    if (this.#scan.early && !isInterrupted(this.#scan.early)) requireAllowed(this.#scan.early, this.#engines.policy);
  }

  sha256(): Buffer {
    return this.#digest.digest();
  }

  /** The verdict on the whole file. Throws where the policy refuses it. */
  async verdict(readBack: () => AsyncIterable<Buffer>): Promise<'clean' | 'unscanned'> {
    if (!this.#scan) return 'unscanned';
    const first = await this.#scan.verdict();
    const verdict = isInterrupted(first) ? await scanStored(this.#engines, readBack()) : first;
    requireAllowed(verdict, this.#engines.policy);
    return verdict.result === 'clean' ? 'clean' : 'unscanned';
  }

  /** To be called however the upload ended. */
  abandon(): void {
    this.#scan?.abandon();
  }
}

/** Scans bytes that are stored already. */
export async function scanStored(
  engines: Needs,
  bytes: AsyncIterable<Buffer>,
  onBytes: (bytes: Buffer) => void = () => undefined,
): Promise<Verdict> {
  const scan = beginScan(engines, 'stored');
  try {
    for await (const piece of bytes) {
      onBytes(piece);
      await scan?.write(piece);
      // Whatever follows, this file is not taken.
      if (scan?.early && (scan.early.result === 'infected' || engines.policy.scan === 'required')) break;
    }
    return scan ? await scan.verdict() : { result: 'unscanned', why: 'unavailable' };
  } finally {
    scan?.abandon();
  }
}

function beginScan({ scanner, policy }: Needs, source: ScanSource): Scan | undefined {
  return policy.scan === 'off' ? undefined : scanner.begin(source);
}

function isInterrupted(verdict: Verdict | undefined): boolean {
  return verdict?.result === 'unscanned' && verdict.why === 'interrupted';
}

function requireAllowed(verdict: Verdict, policy: Pick<Policy, 'scan'>): void {
  if (verdict.result === 'infected') throw new ExchangeError('infected');
  if (verdict.result === 'unscanned' && policy.scan === 'required') {
    throw new ExchangeError(verdict.why === 'too_large' ? 'too_large_to_scan' : 'unavailable');
  }
}
