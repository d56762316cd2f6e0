/**
 * The yardstick for the processor time of an upload: what its checksums and its encryption cost by themselves, in CPU
 * seconds per GiB, in pieces as large as those that arrive. Prints one JSON object.
 */
import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const piece = randomBytes(64 * 1024);
const pieces = (512 * 1024 ** 2) / piece.length;
const key = randomBytes(32);
const nonce = randomBytes(12);
const hash = createHash('sha256');
let checksum = 0;

const parts: Record<string, () => void> = {
  'SHA-256': () => hash.update(piece),
  'AES-256-GCM': () => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    cipher.update(piece);
    cipher.final();
    cipher.getAuthTag();
  },
  'CRC-32': () => (checksum = crc32(piece, checksum)),
};

const cost = Object.entries(parts).map(([name, part]) => {
  for (let warmUp = 0; warmUp < 500; warmUp++) part();
  const before = process.cpuUsage();
  for (let done = 0; done < pieces; done++) part();
  const { user, system } = process.cpuUsage(before);
  return [name, ((user + system) / 1e6) * 2];
});
process.stdout.write(`${JSON.stringify(Object.fromEntries(cost))}\n`);
