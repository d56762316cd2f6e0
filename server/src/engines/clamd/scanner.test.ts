import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { Scan, Verdict } from '../../domain/ports.ts';
import { engineAddresses } from '../../testing/engine-addresses.ts';
import { closedPort, startPeer } from '../../testing/tcp.ts';
import { clamdScanner } from './scanner.ts';

/** In halves, so that no scanner takes this file for the test virus. */
const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE!$H+H*'].join('');
const real = clamdScanner({ address: engineAddresses.clamd, timeoutMs: 20_000 });
const unavailable: Verdict = { result: 'unscanned', why: 'unavailable' };
const tooLarge: Verdict = { result: 'unscanned', why: 'too_large' };

async function verdictOn(scan: Scan, ...pieces: (string | Buffer)[]): Promise<Verdict> {
  for (const piece of pieces) await scan.write(Buffer.from(piece as string));
  return scan.verdict();
}

describe('clamd', () => {
  test.each([
    ['some text', ['hello']],
    ['nothing', []],
    ['empty pieces', ['', 'a', '', 'b']],
    ['a few megabytes', [Buffer.alloc(3_000_000), Buffer.alloc(3_000_000, 'x')]],
  ])('finds %s clean', async (_what, pieces) => {
    expect(await verdictOn(real.begin(), ...pieces)).toEqual({ result: 'clean' });
  });

  test.each([
    ['whole', [eicar]],
    ['in single bytes', eicar.split('')],
    ['in two pieces', [eicar.slice(0, 30), eicar.slice(30)]],
  ])('finds the test virus, %s', async (_what, pieces) => {
    expect(await verdictOn(real.begin(), ...pieces)).toMatchObject({
      result: 'infected',
      signature: expect.stringMatching(/eicar/i),
    });
  });

  test('says at once that a stream is too large, and never that it is clean', async () => {
    const scan = real.begin();
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

  test('takes many streams at once and confuses none', async () => {
    const verdicts = await Promise.all(
      Array.from({ length: 8 }, (_, index) => verdictOn(real.begin(), index % 2 === 0 ? eicar : 'clean')),
    );
    expect(verdicts.map(({ result }) => result)).toEqual(
      Array.from({ length: 8 }, (_, index) => (index % 2 ? 'clean' : 'infected')),
    );
  });
});

/** A clamd that does what the test says. */
async function startClamd(onConnection: (socket: Socket) => void, timeoutMs = 20_000) {
  const peer = await startPeer(onConnection);
  return {
    scanner: clamdScanner({ address: `127.0.0.1:${peer.port}`, timeoutMs }),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}

describe('a scanner that cannot be had is "unscanned", never "clean"', () => {
  test('when nobody listens', async () => {
    const scan = clamdScanner({ address: `127.0.0.1:${await closedPort()}`, timeoutMs: 20_000 }).begin();
    expect(await verdictOn(scan, 'hello')).toEqual(unavailable);
    expect(scan.early).toEqual(unavailable);
  });

  test('when there is no such socket', async () => {
    const scan = clamdScanner({ address: '/nowhere/clamd.sock', timeoutMs: 20_000 }).begin();
    expect(await verdictOn(scan, 'hello')).toEqual(unavailable);
  });

  test('when it takes everything and answers nothing', async () => {
    await using silent = await startClamd((socket) => socket.resume(), 100);
    expect(await verdictOn(silent.scanner.begin(), 'hello')).toEqual(unavailable);
  });

  test('when it takes nothing', async () => {
    await using stuck = await startClamd((socket) => socket.pause(), 100);
    const scan = stuck.scanner.begin();
    const pieces = Array.from({ length: 64 }, () => Buffer.alloc(1024 * 1024));
    expect(await verdictOn(scan, ...pieces)).toEqual(unavailable);
  });

  test('when it cuts the connection in the middle', async () => {
    await using cutting = await startClamd((socket) => socket.once('data', () => socket.resetAndDestroy()));
    const scan = cutting.scanner.begin();
    const pieces = Array.from({ length: 20 }, () => Buffer.alloc(1024 * 1024));
    expect(await verdictOn(scan, ...pieces)).toEqual(unavailable);
  });

  test.each([
    '',
    'stream: O',
    'stream: OK',
    'stream: OK\n',
    'stream: OKAY\0',
    'UNKNOWN COMMAND\0',
    'stream: x ERROR\0',
    'x'.repeat(10_000),
  ])('when it answers %j and leaves', async (answer) => {
    await using odd = await startClamd((socket) => {
      socket.resume();
      socket.end(answer);
    });
    expect(await verdictOn(odd.scanner.begin(), 'hello')).toEqual(unavailable);
  });
});

test.each<[string, Verdict]>([
  ['stream: OK\0', { result: 'clean' }],
  ['stream: Win.Test-1 FOUND\0', { result: 'infected', signature: 'Win.Test-1' }],
  ['INSTREAM size limit exceeded. ERROR\0', tooLarge],
  ['stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0', tooLarge],
])('the answer %j in pieces is %j', async (answer, verdict) => {
  await using peer = await startClamd((socket) => {
    socket.resume();
    for (const byte of answer) socket.write(byte);
  });
  expect(await verdictOn(peer.scanner.begin(), 'hello')).toEqual(verdict);
});

test('an abandoned scan hangs up, and its verdict is no good news', async () => {
  const [received, closed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await using peer = await startClamd((socket) => {
    socket.on('data', () => received.resolve());
    socket.on('close', () => closed.resolve());
  });
  const scan = peer.scanner.begin();
  await scan.write(Buffer.from('hello'));
  await received.promise;
  scan.abandon();
  await closed.promise;
  expect(await scan.verdict()).toEqual(unavailable);
});
