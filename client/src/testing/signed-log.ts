import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  appendLeaves,
  createSigner,
  edgeRoot,
  emptyEdge,
  formatAddCheckpoint,
  formatCheckpoint,
  formatTilePath,
  formatVerifierKey,
  hashLeaf,
  proveConsistency,
  type Signer,
  signNote,
} from '@waybill/evidence';

const ed25519KeyBytes = 32;

/** A log in memory that can also do what an honest one does not: sign another history. */
export class SignedLog {
  readonly vkey: string;
  readonly #signer: Signer;
  readonly #origin: string;

  constructor(origin: string, keys = generateKeyPairSync('ed25519')) {
    this.#origin = origin;
    const publicKey = exportPublicKey(keys.publicKey);
    this.vkey = formatVerifierKey(origin, 1, publicKey);
    this.#signer = createSigner({
      name: origin,
      type: 1,
      publicKey,
      sign: (message) => sign(null, message, keys.privateKey),
      readTime: () => 0,
    });
  }

  /** Signs the tree of these entries, and asks a witness to cosign it from an old size. */
  async request(entries: readonly string[], oldSize: number): Promise<string> {
    const leaves = entries.map((entry) => hashLeaf(Buffer.from(entry)));
    const { edge, tiles } = appendLeaves(emptyEdge, leaves);
    const files = new Map(tiles.map(({ tile, bytes }) => [formatTilePath(tile), bytes]));
    const readTile = async (tile: Parameters<typeof formatTilePath>[0]) => {
      const bytes = files.get(formatTilePath(tile));
      if (!bytes) throw new RangeError('no such tile');
      return bytes;
    };
    const size = entries.length;
    const proof = oldSize > size ? [] : await proveConsistency(readTile, oldSize, size);
    const text = formatCheckpoint({ origin: this.#origin, size, root: edgeRoot(edge) });
    return formatAddCheckpoint({ oldSize, proof, checkpoint: await signNote(text, [this.#signer]) });
  }
}

function exportPublicKey(key: KeyObject): Uint8Array {
  return key.export({ type: 'spki', format: 'der' }).subarray(-ed25519KeyBytes);
}

/** Returns the checkpoint of a request, with the lines that a witness returned for it. */
export function cosign(request: string, lines: string): string {
  return request.slice(request.indexOf('\n\n') + 2) + lines;
}
