import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { Checksums } from '../files/checksums.ts';
import type { Scan, ScanSource, Verdict } from '../ports/scanner.ts';
import { judge } from './judge-verdict.ts';

type Needs = Pick<Engines, 'scanner' | 'policy'>;

/**
 * What is determined from a file's bytes as they pass: their checksums, and the virus scanner's verdict. If the scanner
 * could not follow, because the sender paused or was slow, the stored bytes are read back for it at the end: how a file
 * was sent never changes its verdict.
 */
export class Inspection {
  readonly #checksums = new Checksums();
  readonly #engines: Needs;
  readonly #scan: Scan | undefined;

  constructor(engines: Needs) {
    this.#engines = engines;
    this.#scan = beginScan(engines, 'arriving');
  }

  async update(bytes: Buffer): Promise<void> {
    this.#checksums.update(bytes);
    await this.#scan?.write(bytes);
    if (this.#scan?.early) this.#judge(this.#scan.early);
  }

  checksums(): ReturnType<Checksums['result']> {
    return this.#checksums.result();
  }

  /** The verdict on the whole file. Throws if the policy refuses it, or if it is not known without reading it back. */
  async verdict(readBack?: () => AsyncIterable<Buffer>): Promise<'clean' | 'unscanned'> {
    if (!this.#scan) return 'unscanned';
    const arriving = this.#judge(await this.#scan.verdict());
    if (arriving !== 'scan-again') return arriving;
    if (!readBack) throw new ExchangeError('unavailable');
    const stored = this.#judge(await scanStored(this.#engines, readBack()));
    if (stored === 'scan-again') throw new ExchangeError('unavailable');
    return stored;
  }

  /** Must be called however the upload ended. */
  abandon(): void {
    this.#scan?.abandon();
  }

  /** A refused upload ends here, before the rest of it has arrived. */
  #judge(verdict: Verdict): 'clean' | 'unscanned' | 'scan-again' {
    const judgement = judge(verdict, this.#engines.policy.scan);
    if (judgement.outcome === 'refuse') throw new ExchangeError(judgement.refusal);
    if (judgement.outcome === 'wait') throw new ExchangeError('unavailable');
    return judgement.outcome === 'accept' ? judgement.scan : 'scan-again';
  }
}

/** Scans bytes that are already stored. */
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
      // Whatever follows, this file is rejected.
      if (scan?.early && judge(scan.early, engines.policy.scan).outcome !== 'accept') break;
    }
    return scan ? await scan.verdict() : { result: 'unscanned', why: 'unavailable' };
  } finally {
    scan?.abandon();
  }
}

function beginScan({ scanner, policy }: Needs, source: ScanSource): Scan | undefined {
  return policy.scan === 'off' ? undefined : scanner.begin(source);
}
