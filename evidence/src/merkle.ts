import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, equalBytes, isCount } from './bytes.ts';

/** The Merkle tree of RFC 6962 with SHA-256, in the recursive form in which section 2.1 defines it. */

const leafPrefix = Uint8Array.of(0);
const nodePrefix = Uint8Array.of(1);

/** The root of a tree without leaves. */
export const emptyRoot: Uint8Array = sha256(new Uint8Array());

export function hashLeaf(entry: Uint8Array): Uint8Array {
  return sha256(concatBytes(leafPrefix, entry));
}

export function hashNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(nodePrefix, left, right));
}

/** Returns the number of leaves on the left of a tree of two leaves or more: the largest power of two below its size. */
export function splitSize(size: number): number {
  let left = 1;
  while (left * 2 < size) left *= 2;
  return left;
}

export function computeRoot(leafHashes: readonly Uint8Array[]): Uint8Array {
  const hashRange = (start: number, end: number): Uint8Array => {
    const only = leafHashes[start];
    if (end - start === 1 && only) return only;
    const middle = start + splitSize(end - start);
    return hashNode(hashRange(start, middle), hashRange(middle, end));
  };
  return leafHashes.length === 0 ? emptyRoot : hashRange(0, leafHashes.length);
}

export interface InclusionProof {
  readonly leafHash: Uint8Array;
  readonly index: number;
  readonly size: number;
  readonly root: Uint8Array;
  /** The sibling of each node on the path from the leaf to the root, the leaf's first. */
  readonly proof: readonly Uint8Array[];
}

/** Tells whether the tree with this size and root has this leaf at this index. */
export function verifyInclusion({ leafHash, index, size, root, proof }: InclusionProof): boolean {
  if (!isCount(index) || !isCount(size) || index >= size) return false;
  if (![leafHash, root, ...proof].every(isHash)) return false;
  const remaining = [...proof];
  const hashPath = (at: number, leaves: number): Uint8Array | undefined => {
    if (leaves === 1) return leafHash;
    const sibling = remaining.pop();
    if (!sibling) return undefined;
    const left = splitSize(leaves);
    const child = at < left ? hashPath(at, left) : hashPath(at - left, leaves - left);
    if (!child) return undefined;
    return at < left ? hashNode(child, sibling) : hashNode(sibling, child);
  };
  const computed = hashPath(index, size);
  return remaining.length === 0 && computed !== undefined && equalBytes(computed, root);
}

export interface ConsistencyProof {
  readonly oldSize: number;
  readonly newSize: number;
  readonly oldRoot: Uint8Array;
  readonly newRoot: Uint8Array;
  readonly proof: readonly Uint8Array[];
}

/** Tells whether the leaves of the old tree are the first leaves of the new one. */
export function verifyConsistency({ oldSize, newSize, oldRoot, newRoot, proof }: ConsistencyProof): boolean {
  if (!isCount(oldSize) || !isCount(newSize) || oldSize > newSize) return false;
  if (![oldRoot, newRoot, ...proof].every(isHash)) return false;
  if (oldSize === 0 && !equalBytes(oldRoot, emptyRoot)) return false;
  if (oldSize === newSize) return proof.length === 0 && equalBytes(oldRoot, newRoot);
  if (oldSize === 0) return proof.length === 0;
  const remaining = [...proof];
  /** Computes the roots of both trees below one node; on the left edge, the old one is known and not in the proof. */
  const hashBoth = (
    older: number,
    newer: number,
    isLeftEdge: boolean,
  ): readonly [Uint8Array, Uint8Array] | undefined => {
    if (older === newer) {
      const shared = isLeftEdge ? oldRoot : remaining.pop();
      return shared && [shared, shared];
    }
    const sibling = remaining.pop();
    if (!sibling) return undefined;
    const left = splitSize(newer);
    if (older <= left) {
      const below = hashBoth(older, left, isLeftEdge);
      return below && [below[0], hashNode(below[1], sibling)];
    }
    const below = hashBoth(older - left, newer - left, false);
    return below && [hashNode(sibling, below[0]), hashNode(sibling, below[1])];
  };
  const computed = hashBoth(oldSize, newSize, true);
  if (remaining.length > 0 || !computed) return false;
  return equalBytes(computed[0], oldRoot) && equalBytes(computed[1], newRoot);
}

function isHash(bytes: Uint8Array): boolean {
  return bytes.length === 32;
}
