/** The yardstick for scanned uploads: only clamd and the bytes. `node clamd-scan.ts FILE` prints seconds. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const [file = ''] = process.argv.slice(2);
const started = performance.now();
const socket = connect(3310, '127.0.0.1');
await once(socket, 'connect');
const verdict = text(socket);
socket.write('zINSTREAM\0');
for await (const bytes of createReadStream(file) as AsyncIterable<Buffer>) {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  socket.write(length);
  if (!socket.write(bytes)) await once(socket, 'drain');
}
socket.write(Buffer.alloc(4));
if (!(await verdict).includes('OK')) throw new Error(`clamd said: ${await verdict}`);
process.stdout.write(`${(performance.now() - started) / 1000}\n`);
