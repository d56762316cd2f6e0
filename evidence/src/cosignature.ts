import { concatBytes, encodeText, encodeUint64 } from './bytes.ts';
import { parseCheckpoint } from './checkpoint.ts';

/** The messages that cosigners of a checkpoint sign (C2SP tlog-cosignature); times are in seconds since 1970. */

/** The Ed25519 message commits to the whole text of the checkpoint, but not to the name of its cosigner. */
export function buildEd25519Cosignature(text: string, timestamp: number): Uint8Array {
  return encodeText(`cosignature/v1\ntime ${timestamp}\n${text}`);
}

/**
 * The ML-DSA-44 message commits to the cosigner, the log, the size and the root, but not to extension lines. A timestamp of 0
 * states no time. Returns undefined if the text is not a checkpoint or a name is too long.
 */
export function buildMlDsaCosignature(cosigner: string, text: string, timestamp: number): Uint8Array | undefined {
  const checkpoint = parseCheckpoint(text);
  const name = encodeText(cosigner);
  const origin = encodeText(checkpoint?.origin ?? '');
  if (!checkpoint || name.length > 255 || origin.length > 255) return undefined;
  return concatBytes(
    encodeText('subtree/v1\n\0'),
    Uint8Array.of(name.length),
    name,
    encodeUint64(timestamp),
    Uint8Array.of(origin.length),
    origin,
    encodeUint64(0),
    encodeUint64(checkpoint.size),
    checkpoint.root,
  );
}
