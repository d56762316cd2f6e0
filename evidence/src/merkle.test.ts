import { fc, test as property } from '@fast-check/vitest';
import { hexToBytes } from '@noble/hashes/utils.js';
import { describe, expect, test } from 'vitest';
import { encodeText } from './bytes.ts';
import { computeRoot, emptyRoot, hashLeaf, hashNode, splitSize, verifyConsistency, verifyInclusion } from './merkle.ts';

/** Twice as many sizes take four times as long: `npm run lab -- evidence` goes through all of them. */
const isFullSize = process.env['WAYBILL_FULL_SIZE'] === '1';
const maxSize = 2_000;
const allSizesUpTo = isFullSize ? maxSize : 130;

const leaves = Array.from({ length: maxSize }, (_, index) => hashLeaf(encodeText(`leaf ${index}`)));
const hashes = new Map<number, Uint8Array>();

/** The hash of a subtree, kept if it is complete: then it is part of many proofs. */
function hashRange(start: number, end: number): Uint8Array {
  const leaf = leaves[start];
  if (end - start === 1 && leaf) return leaf;
  const key = start * 4_096 + end;
  const known = hashes.get(key);
  if (known) return known;
  const middle = start + splitSize(end - start);
  const hash = hashNode(hashRange(start, middle), hashRange(middle, end));
  if ((middle - start) * 2 === end - start || !isFullSize) hashes.set(key, hash);
  return hash;
}

const rootOf = (size: number) => (size === 0 ? emptyRoot : hashRange(0, size));

/** PATH of RFC 6962, section 2.1.1. */
function provePath(index: number, start: number, end: number): Uint8Array[] {
  if (end - start === 1) return [];
  const middle = start + splitSize(end - start);
  return index < middle
    ? [...provePath(index, start, middle), hashRange(middle, end)]
    : [...provePath(index, middle, end), hashRange(start, middle)];
}

/** SUBPROOF of RFC 6962, section 2.1.2. */
function proveSubtree(oldSize: number, start: number, end: number, isComplete: boolean): Uint8Array[] {
  if (oldSize === end) return isComplete ? [] : [hashRange(start, end)];
  const middle = start + splitSize(end - start);
  return oldSize <= middle
    ? [...proveSubtree(oldSize, start, middle, isComplete), hashRange(middle, end)]
    : [...proveSubtree(oldSize, middle, end, false), hashRange(start, middle)];
}

const makeInclusion = (index: number, size: number) => ({
  leafHash: leaves[index] ?? emptyRoot,
  index,
  size,
  root: rootOf(size),
  proof: provePath(index, 0, size),
});
const makeConsistency = (oldSize: number, newSize: number) => ({
  oldSize,
  newSize,
  oldRoot: rootOf(oldSize),
  newRoot: rootOf(newSize),
  proof: oldSize === 0 ? [] : proveSubtree(oldSize, 0, newSize, true),
});

test('the roots are those of the test data of Certificate Transparency', () => {
  const entries = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f'];
  const roots = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];
  const hashed = entries.map((entry) => hashLeaf(hexToBytes(entry)));
  for (const [size, root] of roots.entries()) expect(computeRoot(hashed.slice(0, size))).toEqual(hexToBytes(root));
});

describe(`trees of up to ${allSizesUpTo} leaves`, () => {
  test('include every one of their leaves, and consist with every smaller tree', () => {
    const faults: string[] = [];
    for (let size = 0; size <= allSizesUpTo; size++) {
      for (let index = 0; index < size; index++)
        if (!verifyInclusion(makeInclusion(index, size))) faults.push(`leaf ${index} of ${size}`);
      for (let oldSize = 0; oldSize <= size; oldSize++)
        if (!verifyConsistency(makeConsistency(oldSize, size))) faults.push(`${oldSize} before ${size}`);
    }
    expect(faults).toEqual([]);
  });
});

const position = fc.nat(maxSize - 1).chain((size) => fc.tuple(fc.nat(size), fc.constant(size + 1)));

property.prop([position])('a tree of up to 2,000 leaves includes its leaves', ([index, size]) => {
  expect(verifyInclusion(makeInclusion(index, size))).toBe(true);
});

property.prop([position])('a tree of up to 2,000 leaves consists with a smaller one', ([oldSize, newSize]) => {
  expect(verifyConsistency(makeConsistency(oldSize, newSize))).toBe(true);
});

/** Changes to a list of hashes that make it another list. */
const damage = fc.oneof(
  fc.constant((proof: Uint8Array[]) => [...proof, emptyRoot]),
  fc.constant((proof: Uint8Array[]) => [emptyRoot, ...proof]),
  fc.constant((proof: Uint8Array[]) => [...proof, ...proof.slice(-1), emptyRoot]),
  fc.tuple(fc.nat(), fc.nat(255)).map(([at, bit]) => (proof: Uint8Array[]) => {
    const changed = proof.map((hash) => hash.slice());
    const hash = changed[at % Math.max(changed.length, 1)];
    if (!hash) return [emptyRoot];
    hash[bit >> 3] = (hash[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    return changed;
  }),
  fc.constant((proof: Uint8Array[]) => (proof.length > 0 ? proof.slice(1) : [emptyRoot])),
  fc.constant((proof: Uint8Array[]) => (proof.length > 1 ? proof.toReversed() : [emptyRoot])),
  fc.constant((proof: Uint8Array[]) => [...proof.map((hash) => hash.slice(0, 31)), new Uint8Array()]),
);

property.prop([position, damage])('a damaged inclusion proof proves nothing', ([index, size], change) => {
  const inclusion = makeInclusion(index, size);
  expect(verifyInclusion({ ...inclusion, proof: change(inclusion.proof) })).toBe(false);
});

property.prop([position, damage])('a damaged consistency proof proves nothing', ([oldSize, newSize], change) => {
  const consistency = makeConsistency(oldSize, newSize);
  expect(verifyConsistency({ ...consistency, proof: change(consistency.proof) })).toBe(false);
});

property.prop([position, fc.nat(maxSize)])('a leaf is at no other index', ([index, size], other) => {
  fc.pre(other !== index);
  expect(verifyInclusion({ ...makeInclusion(index, size), index: other })).toBe(false);
});

test('sizes and indexes that no tree has are refused', () => {
  const inclusion = makeInclusion(0, 1);
  expect(verifyInclusion(inclusion)).toBe(true);
  for (const [index, size] of [
    [0, 0],
    [1, 1],
    [-1, 1],
    [0.5, 1],
    [0, Number.NaN],
    [0, Number.POSITIVE_INFINITY],
    [0, 2 ** 53],
  ] as const)
    expect(verifyInclusion({ ...inclusion, index, size }), `${index} of ${size}`).toBe(false);
  const consistency = makeConsistency(1, 1);
  expect(verifyConsistency(consistency)).toBe(true);
  for (const [oldSize, newSize] of [
    [2, 1],
    [-1, 1],
    [0, 1],
    [1, 2 ** 53],
    [Number.NaN, 1],
  ] as const)
    expect(verifyConsistency({ ...consistency, oldSize, newSize }), `${oldSize} before ${newSize}`).toBe(false);
  expect(verifyConsistency({ ...makeConsistency(0, 0), newRoot: rootOf(1) })).toBe(false);
});
