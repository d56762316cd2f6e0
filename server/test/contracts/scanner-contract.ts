import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eicar } from '../../../tools/shared/eicar.ts';
import type { Scan, Scanner, Verdict } from '../../src/domain/ports/scanner.ts';

export interface ScannerUnderTest extends AsyncDisposable {
  readonly scanner: Scanner;
  /** Ends the scanner, also for scans that have begun. */
  stop(): Promise<void> | void;
}

export const clean: Verdict = { result: 'clean' };
export const infected = { result: 'infected', signature: expect.stringMatching(/eicar/i) };
export const unavailable: Verdict = { result: 'unscanned', why: 'unavailable' };
export const interrupted: Verdict = { result: 'unscanned', why: 'interrupted' };
export const encrypted: Verdict = { result: 'unscanned', why: 'encrypted' };
export const tooLarge: Verdict = { result: 'unscanned', why: 'too_large' };

export async function writeTo(scan: Scan, ...pieces: (string | Buffer)[]): Promise<Verdict> {
  for (const piece of pieces) await scan.write(Buffer.from(piece as string));
  return scan.verdict();
}

/** The behaviour of every scanner, both clamd and the one in memory. */
export function scannerContract(name: string, start: (maxBytes: number) => Promise<ScannerUnderTest>): void {
  describe(`${name} as a scanner`, () => {
    const maxBytes = 8 * 1024 ** 2;
    let running: ScannerUnderTest;
    let begin: Scanner['begin'];
    beforeAll(async () => {
      running = await start(maxBytes);
      begin = (source) => running.scanner.begin(source);
    });
    afterAll(() => running[Symbol.asyncDispose]());

    test.each([
      ['a text', ['hello']],
      ['nothing', []],
      ['empty pieces', ['', 'a', '', 'b']],
      ['a few megabytes', [Buffer.alloc(3_000_000), Buffer.alloc(3_000_000, 'x')]],
    ])('finds %s clean', async (_what, pieces) => {
      const scan = begin('arriving');
      expect(scan.early).toBeUndefined();
      expect(await writeTo(scan, ...pieces)).toEqual(clean);
    });

    test.each([
      ['whole', [eicar]],
      ['in single bytes', eicar.split('')],
      ['in two pieces', [eicar.slice(0, 30), eicar.slice(30)]],
    ])('finds the test virus, %s', async (_what, pieces) => {
      expect(await writeTo(begin('arriving'), ...pieces)).toEqual(infected);
      expect(await writeTo(begin('stored'), ...pieces)).toEqual(infected);
    });

    test('needs the bytes no longer when they are written', async () => {
      const scan = begin('arriving');
      const pieces = [...Array.from({ length: 20 }, () => Buffer.alloc(60_000, 'x')), Buffer.from(eicar)];
      for (const piece of pieces) {
        await scan.write(piece);
        piece.fill(0);
      }
      expect(await scan.verdict()).toEqual(infected);
    });

    test('does not call an encrypted file clean, and reports a virus beside the encrypted part', async () => {
      expect(await writeTo(begin('arriving'), encryptedZip)).toEqual(encrypted);
      expect(await writeTo(begin('arriving'), encryptedZip, eicar)).toEqual(infected);
    });

    test.each(cannotBeInspected)('does not call %s clean', async (sample) => {
      const content = readSample(sample);
      expect(await writeTo(begin('stored'), content)).toEqual(encrypted);
      expect(await writeTo(begin('arriving'), content.subarray(0, 1), content.subarray(1)), 'in two pieces').toEqual(
        encrypted,
      );
      expect(await writeTo(begin('arriving'), content, eicar), 'with a virus').toEqual(infected);
    });

    test.each(canBeInspected)('finds %s clean', async (sample) => {
      expect(await writeTo(begin('arriving'), readSample(sample))).toEqual(clean);
    });

    test('reports before the end that a file is too large, and inspects nothing after that', async () => {
      expect(running.scanner.maxBytes).toBe(maxBytes);
      const scan = begin('arriving');
      await scan.write(Buffer.alloc(maxBytes));
      expect(scan.early).toBeUndefined();
      await scan.write(Buffer.from('x'));
      expect(scan.early).toEqual(tooLarge);
      expect(await writeTo(scan, eicar)).toEqual(tooLarge);
    });

    test('scans many files at the same time', async () => {
      const contents = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? eicar : 'clean'));
      const verdicts = await Promise.all(contents.map((content) => writeTo(begin('arriving'), content)));
      expect(verdicts.map(({ result }) => result)).toEqual(
        contents.map((content) => (content === eicar ? 'infected' : 'clean')),
      );
    });

    test.each([
      ['arriving', interrupted],
      ['stored', unavailable],
    ] as const)('has no verdict on %s bytes if the scan is abandoned or the scanner stops', async (source, verdict) => {
      const abandoned = begin(source);
      await abandoned.write(Buffer.from('hello'));
      abandoned.abandon();
      expect(abandoned.early).toEqual(verdict);
      expect(await abandoned.verdict()).toEqual(verdict);

      await using stopping = await start(maxBytes);
      const scan = stopping.scanner.begin(source);
      await scan.write(Buffer.from('hello'));
      // clamd has accepted the connection when another one was served.
      await stopping.scanner.begin('arriving').verdict();
      await stopping.stop();
      await vi.waitFor(() => expect(scan.early).toEqual(verdict), { timeout: 10_000 });
      expect(await writeTo(scan, eicar)).toEqual(verdict);
      expect(await writeTo(stopping.scanner.begin(source), 'hello')).toEqual(unavailable);
    });
  });
}

/** See encrypted/README.md. Archives and documents with a password are known to clamd, and tested there. */
const cannotBeInspected = [
  'note.age',
  'armored.age',
  'password.gpg',
  'password.asc',
  'curve.gpg',
  'rsa.gpg',
  'rsa.asc',
  'zip.zip',
  'office.docx',
];
const canBeInspected = ['owner.pdf', 'signature.sig', 'clear.asc'];
export const readSample = (name: string) => readFileSync(new URL(`../encrypted/${name}`, import.meta.url));

/** Made with `zip -P` from a file that contains "hello". */
const encryptedZip = Buffer.from(
  'UEsDBAoACQAAAC9Eb12GphA2EQAAAAUAAAAJABwAY2xlYW4udHh0VVQJAANabvlqWm75anV4CwABBAAAAAAEAAAAAKZ6IPquvyzYCAi9qCm82idAUEsHCIamEDYRAAAABQAAAFBLAQIeAwoACQAAAC9Eb12GphA2EQAAAAUAAAAJABgAAAAAAAEAAACkgQAAAABjbGVhbi50eHRVVAUAA1pu+Wp1eAsAAQQAAAAABAAAAABQSwUGAAAAAAEAAQBPAAAAZAAAAAAA',
  'base64',
);
