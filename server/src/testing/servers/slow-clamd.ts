import { inspect } from '../memory/memory-scanner.ts';
import { startPeer } from '../tcp.ts';

/** A file that contains this takes a long time to scan. */
export const slowToScan = 'this takes a while';

/** A stand-in for clamd that knows PING and INSTREAM, inspects like `memoryScanner`, and takes `delayMs` for files with `slowToScan`. */
export async function startSlowClamd(delayMs: number): Promise<{ address: string } & AsyncDisposable> {
  const timers = new Set<NodeJS.Timeout>();
  const peer = await startPeer((socket) => {
    let received = Buffer.alloc(0);
    socket.on('data', (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      if (received.includes('zPING\0')) socket.end('PONG\0');
      const content = streamed(received);
      if (content === undefined) return;
      timers.add(
        setTimeout(() => socket.end(`stream: ${reply(content)}\0`), content.includes(slowToScan) ? delayMs : 0),
      );
    });
  });
  return {
    address: `127.0.0.1:${peer.port}`,
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      await peer[Symbol.asyncDispose]();
    },
  };
}

function reply(content: Buffer): string {
  const verdict = inspect(content);
  if (verdict.result === 'clean') return 'OK';
  return verdict.result === 'infected' ? `${verdict.signature} FOUND` : 'Heuristics.Encrypted.Zip FOUND';
}

/** The content that was streamed, once the stream has ended. */
function streamed(received: Buffer): Buffer | undefined {
  const pieces: Buffer[] = [];
  let at = 'zINSTREAM\0'.length;
  while (received.length >= at + 4) {
    const length = received.readUInt32BE(at);
    if (length === 0) return Buffer.concat(pieces);
    pieces.push(received.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return undefined;
}
