// Proofs and receipts that were changed at random: none is accepted that says something else, and none crashes a verifier.
import { deflateSync } from 'node:zlib';
import { bytesToHex } from '@noble/hashes/utils.js';
import { expect, test } from 'vitest';
import { encodeText } from './bytes.ts';
import { toCanonicalJson } from './canonical-json.ts';
import type { Facts } from './facts.ts';
import { computeRoot, emptyRoot, hashLeaf, verifyConsistency, verifyInclusion } from './merkle.ts';
import { NoteError, openNote } from './note.ts';
import { type Policy, PolicyError, parsePolicy } from './policy.ts';
import type { Receipt } from './receipt.ts';
import { makePdf } from './testing/make-pdf.ts';
import { createRandom, mutateBytes, mutateNotation, mutateValue, type Random } from './testing/mutations.ts';
import { createTestLog, createTileStore, listSampleEvents, makeSampleReceipt, testDrop } from './testing/test-log.ts';
import { appendLeaves, emptyEdge, formatTilePath, proveConsistency, proveInclusion } from './tiles.ts';
import { formatProof, parseProof } from './tlog-proof.ts';
import { verifyReceipt } from './verify-receipt.ts';
import { formatAddCheckpoint, parseAddCheckpoint } from './witness.ts';

/** `npm run lab -- evidence` sets the full size. */
const isFullSize = process.env['WAYBILL_FULL_SIZE'] === '1';
const mutationCount = isFullSize ? 100_000 : 2_000;
const seed = isFullSize ? Date.now() % 2 ** 31 : 1;

/** Remembers the signatures that were checked already, most of which a mutation leaves as they are. */
function rememberSignatures(policy: Policy): Policy {
  for (const verifier of [...policy.logs, ...policy.witnesses.values()]) {
    const { verify } = verifier;
    const known = new Map<string, ReturnType<typeof verify>>();
    Object.assign(verifier, {
      verify: (text: string, signature: Uint8Array) => {
        const key = text + bytesToHex(signature);
        const result = known.has(key) ? known.get(key) : verify(text, signature);
        if (known.size < 10_000) known.set(key, result);
        return result;
      },
    });
  }
  return policy;
}

async function makeTwoEpochs() {
  const logs = [1, 2].map((epoch) => createTestLog({ origin: `files.example.org/log/${epoch}`, witnesses: [] }));
  listSampleEvents().forEach((event, position) => logs[position < 8 ? 0 : 1]?.append(event));
  const receipt: Receipt = {
    type: 'waybill-receipt@v1',
    drop: testDrop,
    receiver: 0,
    issued_at: '2026-11-18T10:00:00.000Z',
    checkpoints: await Promise.all(logs.map((log) => log.signCheckpoint())),
    entries: (await Promise.all(logs.map((log, position) => log.proveEntries(testDrop, 0, position)))).flat(),
  };
  const policy = `${logs.map((log) => log.policy.replace('quorum none\n', '')).join('')}quorum none\n`;
  return { receipt, policy };
}

const samples = await Promise.all(
  [
    await makeSampleReceipt(),
    await makeSampleReceipt({ keys: [1, 6], witnesses: ['w1', 'w2'] }),
    await makeSampleReceipt({}, listSampleEvents(), 1),
    await makeTwoEpochs(),
  ].map(async ({ receipt, policy: text }) => {
    const bytes = encodeText(toCanonicalJson(receipt));
    const policy = rememberSignatures(parsePolicy(text));
    const { facts } = await verifyReceipt(bytes, policy);
    if (!facts) throw new Error('a sample is not valid');
    return { receipt, bytes, policy, facts };
  }),
);

/** Says what a verdict states about the delivery, without those who vouch for it. */
function listStatements(facts: Facts): string {
  const logs = facts.logs.map(({ origin, size, root }) => ({ origin, size, root }));
  return JSON.stringify({ ...facts, logs, unknowns: [], remarks: [] });
}

/** Tells whether accepted facts are true: the same, or those of an earlier time, before the last events of each story. */
function isTrue(facts: Facts, original: Facts): boolean {
  if (facts.events.length === original.events.length) return listStatements(facts) === listStatements(original);
  const known = new Set(original.events.map((event) => JSON.stringify(event)));
  const isComplete = (['drop', 'receiver'] as const).every((story) =>
    facts.events.filter((event) => event.story === story).every((event, position) => event.number === position),
  );
  const isSameDelivery = facts.drop === original.drop && facts.receiver === original.receiver;
  return isComplete && isSameDelivery && facts.events.every((event) => known.has(JSON.stringify(event)));
}

const decodeLossy = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

function mutateReceipt({ receipt, bytes }: (typeof samples)[number], random: Random): Uint8Array {
  const mutateTree = () => {
    const changed = mutateValue(receipt, random);
    return encodeText(toCanonicalJson(random.below(4) === 0 ? mutateValue(changed, random) : changed));
  };
  const mutateCheckpoint = () => {
    const [note = '', ...others] = receipt.checkpoints;
    const lines = note.split('\n');
    const at = random.below(lines.length);
    const line = decodeLossy(mutateBytes(encodeText(`${lines[at]} `), random));
    const checkpoint = random.pick([lines.toSpliced(at, 1), lines.toSpliced(at, 1, line)]).join('\n');
    return encodeText(toCanonicalJson({ ...receipt, checkpoints: [checkpoint, ...others] }));
  };
  const mutatePdf = () => {
    const isCompressed = random.below(2) === 0;
    const attached = random.below(3) === 0 ? mutateTree() : bytes;
    const pdf = makePdf([
      { name: 'receipt.json', bytes: isCompressed ? deflateSync(attached) : attached, isCompressed },
    ]);
    const shifted = () => {
      const text = Buffer.from(pdf).toString('latin1');
      const change = random.pick([-2, -1, 1, 2]);
      return Buffer.from(
        text.replace(/\/Length (\d+)/, (_, length) => `/Length ${Number(length) + change}`),
        'latin1',
      );
    };
    return random.pick([() => mutateBytes(pdf, random), shifted, () => pdf])();
  };
  const mutateText = () => random.pick([mutateBytes, mutateNotation])(bytes, random);
  return random.pick([mutateTree, mutateTree, mutateTree, mutateCheckpoint, mutateText, mutateText, mutatePdf])();
}

test(`${mutationCount / 2} mutated receipts`, async () => {
  const random = createRandom(seed);
  const faults: string[] = [];
  const problems = new Map<string, number>();
  for (let run = 0; run < mutationCount / 2; run++) {
    const sample = random.pick(samples);
    const mutated = mutateReceipt(sample, random);
    const verdict = await verifyReceipt(mutated, sample.policy).catch((error: unknown) => String(error));
    if (typeof verdict === 'string') faults.push(`seed ${seed}, run ${run}: ${verdict}`);
    else if (verdict.facts && !isTrue(verdict.facts, sample.facts)) faults.push(`seed ${seed}, run ${run}: accepted`);
    else
      for (const code of new Set(verdict.problems.map((problem) => problem.code)))
        problems.set(code, (problems.get(code) ?? 0) + 1);
  }
  expect(faults).toEqual([]);
  // The mutations reach every check.
  expect([...problems.keys()].toSorted()).toEqual([
    'bad_order',
    'bad_proof',
    'bad_signature',
    'foreign_event',
    'no_quorum',
    'no_receipt',
    'omitted',
    'unknown_log',
    'unreadable',
  ]);
});

test(`${mutationCount / 2} mutated proofs, notes and policies`, async () => {
  const random = createRandom(seed);
  const leaves = Array.from({ length: 300 }, (_, index) => hashLeaf(encodeText(`leaf ${index}`)));
  const roots = Array.from({ length: 301 }, (_, size) =>
    size % 10 === 0 ? computeRoot(leaves.slice(0, size)) : emptyRoot,
  );
  const store = createTileStore();
  for (const { tile, bytes } of appendLeaves(emptyEdge, leaves).tiles) store.tiles.set(formatTilePath(tile), bytes);
  const note = samples[1]?.receipt.checkpoints[0] ?? '';
  const policy = samples[1]?.policy ?? parsePolicy('quorum none');
  const faults: string[] = [];
  const mutateHashes = (hashes: readonly Uint8Array[]): Uint8Array[] => {
    const at = random.below(hashes.length + 1);
    const hash = hashes[at];
    return random.pick([
      () => hashes.toSpliced(at, 1),
      () => hashes.toSpliced(at, 0, hash ?? emptyRoot),
      () => hashes.toSpliced(at, 1, emptyRoot),
      () => (hash ? hashes.toSpliced(at, 1, mutateBytes(hash, random)) : [...hashes, emptyRoot]),
      () => hashes.toReversed(),
      () => [...hashes, ...hashes],
    ])();
  };
  const mutateText = (text: string): string => decodeLossy(mutateBytes(encodeText(text), random));
  const isSame = (left: readonly Uint8Array[], right: readonly Uint8Array[]) =>
    left.map(bytesToHex).join() === right.map(bytesToHex).join();
  const attempts: (() => void | Promise<void>)[] = [
    async () => {
      const size = 10 + 10 * random.below(30);
      const index = random.below(size);
      const proof = await proveInclusion(store.readTile, index, size);
      const changed = mutateHashes(proof);
      const inclusion = {
        leafHash: leaves[index] ?? emptyRoot,
        index,
        size,
        root: roots[size] ?? emptyRoot,
        proof: changed,
      };
      if (verifyInclusion(inclusion) !== isSame(proof, changed)) faults.push(`inclusion of ${index} in ${size}`);
    },
    async () => {
      const newSize = 10 + 10 * random.below(30);
      const oldSize = 10 * random.below(newSize / 10 + 1);
      const proof = await proveConsistency(store.readTile, oldSize, newSize);
      const changed = mutateHashes(proof);
      const oldRoot = roots[oldSize] ?? emptyRoot;
      const newRoot = roots[newSize] ?? emptyRoot;
      if (verifyConsistency({ oldSize, newSize, oldRoot, newRoot, proof: changed }) !== isSame(proof, changed))
        faults.push(`${oldSize} before ${newSize}`);
    },
    () => {
      const mutated = mutateText(note);
      try {
        const { text } = openNote(mutated, [...policy.logs, ...policy.witnesses.values()]);
        if (!note.startsWith(text)) faults.push('a note with another text');
      } catch (error) {
        if (!(error instanceof NoteError)) faults.push(`note: ${String(error)}`);
      }
    },
    () => {
      const text = formatProof({ index: 7, proof: leaves.slice(0, 3), checkpoint: note });
      const mutated = mutateText(text);
      const parsed = parseProof(mutated);
      if (parsed && formatProof(parsed) !== mutated) faults.push('a proof in two forms');
    },
    () => {
      const mutated = mutateText(formatAddCheckpoint({ oldSize: 7, proof: leaves.slice(0, 3), checkpoint: note }));
      const parsed = parseAddCheckpoint(mutated);
      if (parsed && formatAddCheckpoint(parsed) !== mutated) faults.push('a request in two forms');
    },
    () => {
      try {
        parsePolicy(mutateText(createTestLog().policy));
      } catch (error) {
        if (!(error instanceof PolicyError)) faults.push(`policy: ${String(error)}`);
      }
    },
  ];
  for (let run = 0; run < mutationCount / 2; run++) await random.pick(attempts)();
  expect(faults).toEqual([]);
});
