import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { eicar } from '../../../../tools/shared/eicar.ts';
import { slowToScan, startSlowClamd } from '../../../../tools/shared/slow-clamd.ts';
import { closedPort, startPeer } from '../../../../tools/shared/tcp.ts';
import {
  clean,
  encrypted,
  infected,
  interrupted,
  readSample,
  type ScannerUnderTest,
  scannerContract,
  tooLarge,
  unavailable,
  writeTo,
} from '../../../test/contracts/scanner-contract.ts';
import { engineAddresses } from '../../../test/engine-addresses.ts';
import { type OwnClamd, startClamd } from '../../../test/servers/own-clamd.ts';
import type { Verdict } from '../../domain/ports/scanner.ts';
import { type ClamdOptions, clamdScanner } from './scanner.ts';

const real = clamdScanner({ address: engineAddresses.clamd, maxBytes: 1024 ** 3 });

scannerContract('clamd', async (maxBytes) => contractOn(await startClamd(), maxBytes));
scannerContract('the proxy that makes clamd slow', async (maxBytes) =>
  contractOn(await startSlowClamd(engineAddresses.clamd, 0), maxBytes),
);

function contractOn(clamd: AsyncDisposable & { readonly address: string }, maxBytes: number): ScannerUnderTest {
  let stopping: Promise<void> | undefined;
  const stop = async () => {
    stopping ??= Promise.resolve(clamd[Symbol.asyncDispose]());
    await stopping;
  };
  return { scanner: clamdScanner({ address: clamd.address, maxBytes }), stop, [Symbol.asyncDispose]: stop };
}

test.each(['aes.zip', 'note.7z', 'names.7z', 'rc4.pdf', 'aes.pdf'])('does not call %s clean', async (name) => {
  expect(await writeTo(real.begin('stored'), readSample(name))).toEqual(encrypted);
});

test('says at once that a stream is too large, and never that it is clean', async () => {
  const scan = real.begin('arriving');
  const piece = Buffer.alloc(1024 * 1024);
  let sent = 0;
  while (!scan.early && sent < 200) {
    await scan.write(piece);
    sent += 1;
  }
  expect(scan.early).toEqual(tooLarge);
  expect(sent).toBeLessThan(200);
  await scan.write(piece);
  expect(await scan.verdict()).toEqual(tooLarge);
});

/** A clamd that behaves as the test says. */
async function startOddClamd(onConnection: (socket: Socket) => void, options?: Partial<ClamdOptions>) {
  const peer = await startPeer(onConnection);
  return {
    scanner: clamdScanner({ address: `127.0.0.1:${peer.port}`, ...options }),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

describe('a scanner that cannot be had is "unscanned", never "clean"', () => {
  test('when nobody listens', async () => {
    const scan = clamdScanner({ address: `127.0.0.1:${await closedPort()}` }).begin('arriving');
    expect(await writeTo(scan, 'hello')).toEqual(unavailable);
    expect(scan.early).toEqual(unavailable);
  });

  test('when there is no such socket', async () => {
    const scan = clamdScanner({ address: '/nowhere/clamd.sock' }).begin('arriving');
    expect(await writeTo(scan, 'hello')).toEqual(unavailable);
  });

  test('when it takes everything and does not respond', async () => {
    await using silent = await startOddClamd((socket) => socket.resume(), { silenceMs: 100 });
    expect(await writeTo(silent.scanner.begin('arriving'), 'hello')).toEqual(unavailable);
  });

  test('when it takes nothing', async () => {
    await using stuck = await startOddClamd((socket) => socket.pause(), { silenceMs: 100 });
    const scan = stuck.scanner.begin('arriving');
    const pieces = Array.from({ length: 64 }, () => Buffer.alloc(1024 * 1024));
    expect(await writeTo(scan, ...pieces)).toEqual(unavailable);
  });

  test('when it cuts the connection in the middle', async () => {
    await using cutting = await startOddClamd((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const scan = cutting.scanner.begin('arriving');
    const pieces = Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024));
    expect(await writeTo(scan, ...pieces)).toEqual(interrupted);
  });

  test.each(['', 'stream: O', 'stream: OK', 'stream: OK\n', 'COMMAND READ TIMED OUT\n'])(
    'when it responds with %j and leaves',
    async (response) => {
      await using odd = await startOddClamd((socket) => {
        socket.resume();
        socket.end(response);
      });
      expect(await writeTo(odd.scanner.begin('arriving'), 'hello')).toEqual(interrupted);
      // When the file is read back, the scan can only be tried again later.
      expect(await writeTo(odd.scanner.begin('stored'), 'hello')).toEqual(unavailable);
    },
  );

  test.each(['stream: OKAY\0', 'UNKNOWN COMMAND\0', 'stream: x ERROR\0', 'x'.repeat(10_000)])(
    'when it responds with %j',
    async (response) => {
      await using odd = await startOddClamd((socket) => {
        socket.resume();
        socket.end(response);
      });
      expect(await writeTo(odd.scanner.begin('arriving'), 'hello')).toEqual(unavailable);
    },
  );
});

test.each<[string, Verdict]>([
  ['stream: OK\0', { result: 'clean' }],
  ['stream: Win.Test-1 FOUND\0', { result: 'infected', signature: 'Win.Test-1' }],
  ['INSTREAM size limit exceeded. ERROR\0', tooLarge],
  ['stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0', tooLarge],
  ['stream: Heuristics.Limits.Exceeded.MaxScanTime FOUND\0', tooLarge],
  ['stream: Heuristics.Encrypted.PDF FOUND\0', encrypted],
])('the response %j in pieces is %j', async (response, verdict) => {
  await using peer = await startOddClamd((socket) => {
    socket.resume();
    for (const byte of response) socket.write(byte);
  });
  expect(await writeTo(peer.scanner.begin('arriving'), 'hello')).toEqual(verdict);
});

test('an abandoned scan hangs up, and its verdict is no good news', async () => {
  const [received, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using peer = await startOddClamd((socket) => {
    socket.on('data', () => received.resolve());
    socket.on('close', () => closed.resolve());
  });
  const scan = peer.scanner.begin('arriving');
  await scan.write(Buffer.from('hello'));
  await received.promise;
  scan.abandon();
  await closed.promise;
  expect(await scan.verdict()).toEqual(interrupted);
});

test('a file over the limit is too large, whatever clamd would take', async () => {
  const scan = clamdScanner({ address: engineAddresses.clamd, maxBytes: 10 }).begin('arriving');
  await scan.write(Buffer.alloc(10));
  expect(scan.early).toBeUndefined();
  await scan.write(Buffer.alloc(1));
  expect(scan.early).toEqual(tooLarge);
  expect(await scan.verdict()).toEqual(tooLarge);
});

describe('a clamd that takes long for a file', () => {
  const silenceMs = 500;

  test('is waited for as long as it responds to PING', async () => {
    await using slow = await startSlowClamd(engineAddresses.clamd, 3 * silenceMs);
    const { begin } = clamdScanner({ address: slow.address, silenceMs });
    expect(await writeTo(begin('arriving'), slowToScan)).toEqual(clean);
  });

  test('is not waited for longer than a scan may take', async () => {
    await using slow = await startSlowClamd(engineAddresses.clamd, 60_000);
    const { begin } = clamdScanner({ address: slow.address, silenceMs, verdictMs: 300 });
    expect(await writeTo(begin('arriving'), slowToScan)).toEqual(unavailable);
  });
});

describe('a clamd that is', () => {
  const silenceMs = 1_000;
  let clamd: OwnClamd;
  beforeAll(async () => {
    clamd = await startClamd('ReadTimeout 4');
  });
  afterAll(() => clamd[Symbol.asyncDispose]());
  const scanner = (options?: Partial<ClamdOptions>) => clamdScanner({ address: clamd.address, silenceMs, ...options });

  test('frozen counts as away, and not only when a scan may take no longer', async () => {
    await using frozen = await startClamd();
    frozen.process.kill('SIGSTOP');
    const { begin } = clamdScanner({ address: frozen.address, silenceMs });
    expect(await writeTo(begin('arriving'), 'hello')).toEqual(unavailable);
  });

  test('waiting for a silent uploader is left alone', async () => {
    const scan = scanner().begin('arriving');
    await scan.write(Buffer.from(eicar.slice(0, 30)));
    await setTimeout(1.5 * silenceMs);
    expect(await writeTo(scan, eicar.slice(30))).toEqual(infected);
  });

  test('tired of waiting for a silent uploader has interrupted the scan', async () => {
    const scan = scanner().begin('arriving');
    await scan.write(Buffer.from(eicar.slice(0, 30)));
    await vi.waitFor(() => expect(scan.early).toEqual(interrupted), { timeout: 10_000 });
    expect(await writeTo(scan, eicar.slice(30))).toEqual(interrupted);
  });
});

describe('when all streams are taken', () => {
  const makeScanner = (now: () => number) => clamdScanner({ address: engineAddresses.clamd, maxStreams: 1, now });

  test('an upload is scanned later, a stored file waits for its turn', async () => {
    const { begin } = makeScanner(() => 0);
    const first = begin('arriving');
    await first.write(Buffer.from('first'));
    expect(await writeTo(begin('arriving'), 'second')).toEqual(interrupted);
    const third = writeTo(begin('stored'), eicar);
    expect(await first.verdict()).toEqual(clean);
    expect(await third).toEqual(infected);
  });

  test('a slow upload gives way', async () => {
    let time = 0;
    const { begin } = makeScanner(() => time);
    const slow = begin('arriving');
    await slow.write(Buffer.from('slow'));
    time = 10_000;
    expect(await writeTo(begin('arriving'), eicar)).toEqual(infected);
    expect(await slow.verdict()).toEqual(interrupted);
  });

  test('neither a fast upload nor one that waits for its verdict gives way', async () => {
    let time = 0;
    const { begin } = makeScanner(() => time);
    const fast = begin('arriving');
    await fast.write(Buffer.alloc(1024 * 1024));
    time = 10_000;
    expect(await writeTo(begin('arriving'), 'hello')).toEqual(interrupted);
    time = 1_000_000;
    const verdict = fast.verdict();
    expect(await writeTo(begin('arriving'), 'hello')).toEqual(interrupted);
    expect(await verdict).toEqual(clean);
  });

  test('a scan that was over before its first byte was sent takes none', async () => {
    const { begin } = clamdScanner({ address: engineAddresses.clamd, maxStreams: 1, maxBytes: 100 });
    expect(await writeTo(begin('stored'), Buffer.alloc(101))).toEqual(tooLarge);
    const abandoned = begin('arriving');
    abandoned.abandon();
    expect(await writeTo(abandoned, 'late')).toEqual(interrupted);
    expect(await writeTo(begin('arriving'), eicar)).toEqual(infected);
  });

  test('a waiting scan that is abandoned takes no turn', async () => {
    const { begin } = makeScanner(() => 0);
    const first = begin('arriving');
    await first.write(Buffer.from('first'));
    const [second, third] = [begin('stored'), begin('stored')];
    const verdicts = [writeTo(second, 'second'), writeTo(third, 'third')];
    second.abandon();
    expect(await first.verdict()).toEqual(clean);
    expect(await Promise.all(verdicts)).toEqual([unavailable, clean]);
  });
});
