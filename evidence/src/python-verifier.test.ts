// Holds the verifier in Python, which was written from docs/evidence.md alone, against the one here and the document's example.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { decodeBase64, hashLeaf, parsePolicy, toCanonicalJson, verifyInclusion, verifyReceipt } from './index.ts';
import type { Receipt } from './receipt.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const policy = read('docs/examples/receipt-policy.txt');
const example = read('docs/examples/receipt.json');

/** Verifies many receipts in one process: starting Python takes longer than verifying. */
const program = `
import base64, json, sys
sys.path.insert(0, sys.argv[1])
from verify_receipt import Policy, Refused, verify_receipt
policy = Policy(sys.argv[2])
for line in sys.stdin:
    try:
        verify_receipt(base64.b64decode(line), policy)
        print("true")
    except Refused:
        print("false")
`;

function verifyByPython(receipts: readonly Uint8Array[]): boolean[] {
  const folder = new URL('../python/', import.meta.url).pathname;
  const input = receipts.map((receipt) => `${Buffer.from(receipt).toString('base64')}\n`).join('');
  const { stdout, stderr } = spawnSync('python3', ['-B', '-c', program, folder, policy], { input, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout
    .trim()
    .split('\n')
    .map((line) => line === 'true');
}

async function verifyHere(receipts: readonly Uint8Array[]): Promise<boolean[]> {
  const verdicts = await Promise.all(receipts.map((receipt) => verifyReceipt(receipt, parsePolicy(policy))));
  return verdicts.map(({ isValid }) => isValid);
}

const bytes = (text: string) => Buffer.from(text);
type Draft = { -readonly [K in keyof Receipt]: Receipt[K] };
/** The example with a change, in canonical form again. */
function change(edit: (receipt: Draft) => void): Uint8Array {
  const receipt = JSON.parse(example) as Draft;
  edit(receipt);
  return bytes(toCanonicalJson(receipt));
}
function makePdf(attachment: string, isCompressed: boolean, more = ''): Uint8Array {
  const content = isCompressed ? deflateSync(attachment) : bytes(attachment);
  const filter = isCompressed ? '/Filter /FlateDecode ' : '';
  return Buffer.concat([
    bytes(`%PDF-1.7\n1 0 obj\n<< /Type /EmbeddedFile ${filter}/Length ${content.length} >>\nstream\n`),
    content,
    bytes(
      `\nendstream\nendobj\n2 0 obj\n<< /Type /Filespec /F (receipt.json) /EF << /F 1 0 R >> >>\nendobj\n${more}%%EOF\n`,
    ),
  ]);
}
const second = '3 0 obj\n<< /Type /Filespec /F (receipt.json) /EF << /F 4 0 R >> >>\nendobj\n';
const [first] = (JSON.parse(example) as Receipt).entries;
if (!first) throw new TypeError('the example has no entry');

const proven: Record<string, Uint8Array> = {
  'the example': bytes(example),
  'a PDF': makePdf(example, false),
  'a compressed PDF': makePdf(example, true),
  'a PDF with text in a stream that looks like an attachment': makePdf(
    example,
    true,
    `5 0 obj\n<< /Length ${second.length} >>\nstream\n${second}\nendstream\nendobj\n`,
  ),
  'without the last event': change((receipt) => (receipt.entries = receipt.entries.slice(0, -1))),
  'with another time of issue': change((receipt) => (receipt.issued_at = '2030-01-01T00:00:00.000Z')),
};
const refused: Record<string, Uint8Array> = {
  'an empty file': bytes(''),
  'a byte order mark': bytes(`\u{FEFF}${example}`),
  'a line feed at the end': bytes(`${example}\n`),
  'a member twice': bytes(example.replace('"receiver":0,"type"', '"receiver":0,"receiver":0,"type"')),
  'an escaped character': bytes(example.replace('anna@', '\\u0061nna@')),
  'a fraction': bytes(example.replace('"receivers":1', '"receivers":1.0')),
  'an unknown member': change((receipt) => Object.assign(receipt, { note: 'x' })),
  'another address': bytes(example.replace('anna@example.com', 'bert@example.com')),
  'another size of a file': bytes(example.replaceAll('"size":10', '"size":11')),
  'another salt': bytes(example.replace('AgICAgIC', 'AgICAgID')),
  'another index': change(
    (receipt) => (receipt.entries = receipt.entries.map((entry) => ({ ...entry, index: entry.index + 5 }))),
  ),
  'a proof that is too long': change(
    (receipt) =>
      (receipt.entries = receipt.entries.map((entry) => ({ ...entry, proof: [...entry.proof, entry.salt] }))),
  ),
  'an omitted event': change((receipt) => (receipt.entries = receipt.entries.filter((_, place) => place !== 1))),
  'an event twice': change((receipt) => (receipt.entries = [first, ...receipt.entries])),
  'another order': change((receipt) => (receipt.entries = receipt.entries.toReversed())),
  'another drop': change((receipt) => (receipt.drop = receipt.drop.replace('0190', '0191'))),
  'another receiver': change((receipt) => (receipt.receiver = 1)),
  'no checkpoint': change((receipt) => (receipt.checkpoints = [])),
  'the checkpoint twice': change((receipt) => (receipt.checkpoints = [...receipt.checkpoints, ...receipt.checkpoints])),
  'another size of the log': bytes(example.replace('log/1\\n5\\n', 'log/1\\n6\\n')),
  'no signature of the log': change(
    (receipt) => (receipt.checkpoints = receipt.checkpoints.map((note) => note.replace(/\n— files.*\n/, '\n'))),
  ),
  'no cosignature': change(
    (receipt) => (receipt.checkpoints = receipt.checkpoints.map((note) => note.replace(/— witness.*\n/, ''))),
  ),
  'another time of the cosignature': bytes(example.replace('AABq/Wp4', 'AABq/Wp5')),
  'a PDF without an attachment': bytes('%PDF-1.7\n%%EOF\n'),
  'a PDF with two receipts': makePdf(example, true, second),
  'a PDF with a damaged attachment': makePdf(example, true).map((byte, at) => (at === 120 ? byte ^ 1 : byte)),
};

test('both accept the same receipts, and refuse the same ones', async () => {
  const all = { ...proven, ...refused };
  const name = (verdicts: readonly boolean[]) => Object.keys(all).filter((_, place) => verdicts[place]);
  expect(name(await verifyHere(Object.values(all)))).toEqual(Object.keys(proven));
  expect(name(verifyByPython(Object.values(all)))).toEqual(Object.keys(proven));
});

test('neither accepts a receipt with one changed byte, unless it only says when it was issued', async () => {
  const issued = example.indexOf('"issued_at"');
  const mutated: Uint8Array[] = [];
  for (let at = 0; at < example.length; at += 7) {
    if (at > issued && at < issued + 40) continue;
    mutated.push(bytes(example).map((byte, place) => (place === at ? byte ^ (1 << (at % 7)) : byte)));
  }
  expect((await verifyHere(mutated)).filter(Boolean)).toEqual([]);
  expect(verifyByPython(mutated).filter(Boolean)).toEqual([]);
});

test('the numbers of the example in docs/evidence.md are right', () => {
  const document = read('docs/evidence.md');
  const value = (name: string) => new RegExp(`^\\| ${name} .*\`([0-9a-f]{64})\``, 'm').exec(document)?.[1] ?? '';
  const [, event = ''] = /```json\n(.*)\n```/.exec(document) ?? [];
  const hex = (text: string) => Buffer.from(text, 'hex');
  const commitment = createHash('sha256')
    .update(hex(value('salt')))
    .update(event)
    .digest();
  expect(commitment.toString('hex')).toBe(value('commitment'));
  const leafHash = hashLeaf(commitment);
  expect(Buffer.from(leafHash).toString('hex')).toBe(value('leaf hash'));
  const proof = ['first', 'second', 'third'].map((place) => hex(value(`proof, ${place}`)));
  expect(verifyInclusion({ leafHash, index: 2, size: 5, root: hex(value('root')), proof })).toBe(true);
  const receipt = JSON.parse(example) as Receipt;
  expect(toCanonicalJson(receipt.entries[1]?.event ?? null)).toBe(event);
  expect(receipt.entries[1]?.proof.map((hash) => Buffer.from(decodeBase64(hash) ?? []))).toEqual(proof);
  expect(document).toContain(`\`\`\`\n${receipt.checkpoints[0]}\`\`\``);
  expect(document).toContain(`\`\`\`\n${policy}\`\`\``);
});
