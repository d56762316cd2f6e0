import { eicar } from '../../../tools/shared/eicar.ts';
import type { Scanner, Unscanned, Verdict } from '../../src/domain/ports/scanner.ts';
import { recognizeEncryption } from '../../src/domain/uploads/recognize-encryption.ts';

export interface MemoryScanner extends Scanner {
  /** Makes the scanner unavailable from now on, and interrupts the scans of arriving bytes. */
  stop(): void;
}

/** Fulfils the contract of the real scanner (scanner-contract.ts): knows one virus, and encrypted ZIP files. */
export function memoryScanner({ maxBytes = 100 * 1024 ** 2 } = {}): MemoryScanner {
  const open = new Set<() => void>();
  let isStopped = false;
  return {
    maxBytes,
    stop() {
      isStopped = true;
      for (const abandon of open) abandon();
    },
    begin: recognizeEncryption((source) => {
      const pieces: Buffer[] = [];
      let sizeBytes = 0;
      let early: Verdict | undefined;
      const settle = (verdict: Verdict): Verdict => {
        open.delete(abandon);
        early ??= verdict;
        return early;
      };
      const abandon = () => void settle(unscanned(source === 'arriving' ? 'interrupted' : 'unavailable'));
      if (isStopped) settle(unscanned('unavailable'));
      else open.add(abandon);
      return {
        get early() {
          return early;
        },
        async write(bytes) {
          if (early) return;
          pieces.push(Buffer.from(bytes));
          sizeBytes += bytes.length;
          if (sizeBytes > maxBytes) settle(unscanned('too_large'));
        },
        verdict: async () => early ?? settle(inspect(Buffer.concat(pieces))),
        abandon,
      };
    }),
  };
}

/** The verdict on a whole file. */
function inspect(content: Buffer): Verdict {
  if (content.includes(eicar)) return { result: 'infected', signature: 'Eicar-Test-Signature' };
  // The local header of the first file in a ZIP, whose flags begin with the one for encryption.
  const isEncrypted = content.subarray(0, 4).toString() === 'PK\x03\x04' && ((content[6] ?? 0) & 1) === 1;
  return isEncrypted ? unscanned('encrypted') : { result: 'clean' };
}

function unscanned(why: Unscanned): Verdict {
  return { result: 'unscanned', why };
}
