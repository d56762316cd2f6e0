import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';

type Records = Readonly<Record<string, Readonly<Partial<Record<'TXT' | 'MX' | 'A' | 'AAAA', readonly string[]>>>>>;

const types = new Map([
  [1, 'A'],
  [15, 'MX'],
  [16, 'TXT'],
  [28, 'AAAA'],
] as const);
const noSuchName = 3;
const serverFailure = 2;

/** A DNS server on this machine that knows these records; for names that begin with `broken.` it fails. */
export async function startDns(records: Records, port = 0): Promise<{ address: string } & AsyncDisposable> {
  const socket = createSocket('udp4');
  socket.on('message', (query, peer) => socket.send(respondTo(query, records), peer.port, peer.address));
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    async [Symbol.asyncDispose]() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

/** RFC 1035, 4.1: repeats the question, with one answer per value. */
function respondTo(query: Buffer, records: Records): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const name = labels.join('.').toLowerCase();
  const type = query.readUInt16BE(at + 1);
  const values = records[name]?.[types.get(type as 1) ?? 'A'] ?? [];
  const exists = Object.keys(records).some((known) => known === name || known.endsWith(`.${name}`));
  const header = Buffer.from(query.subarray(0, 12));
  header.writeUInt16BE(0x8180 | (name.startsWith('broken.') ? serverFailure : exists ? 0 : noSuchName), 2);
  header.writeUInt16BE(types.has(type as 1) ? values.length : 0, 6);
  header.writeUInt32BE(0, 8);
  const responses = types.has(type as 1) ? values.map((value) => record(type, encodeData(type, value))) : [];
  return Buffer.concat([header, query.subarray(12, at + 5), ...responses]);
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0); // the name in the question
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function encodeData(type: number, value: string): Buffer {
  if (type === 1 || type === 28) return Buffer.from(ipaddr.parse(value).toByteArray());
  const text = (part: string) => Buffer.from([part.length, ...Buffer.from(part)]);
  // Long texts are cut into strings of up to 255 bytes, which belong together.
  if (type === 16) return Buffer.concat((value.match(/.{1,200}/g) ?? ['']).map(text));
  const [priority, exchange = ''] = value.split(' ');
  const labels = exchange.split('.').filter((label) => label !== '');
  return Buffer.concat([Buffer.from([0, Number(priority)]), ...labels.map(text), Buffer.from([0])]);
}
