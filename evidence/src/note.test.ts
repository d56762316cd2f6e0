import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encodeBase64 } from './bytes.ts';
import { formatCheckpoint, parseCheckpoint } from './checkpoint.ts';
import { createSigner, createVerifier, formatVerifierKey, parseVerifierKey } from './keys.ts';
import { emptyRoot } from './merkle.ts';
import { addSignatures, openNote, type SignatureType, signNote, signText } from './note.ts';
import { createTestKey } from './testing/test-log.ts';

/** The example of Go's package golang.org/x/mod/sumdb/note. */
const peterKey = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const peterText =
  "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const peterSignature =
  '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const peterNote = `${peterText}\n${peterSignature}`;
const peter = parseVerifierKey(peterKey);

/** The example of tlog-cosignature, whose keys are not published. */
const sofaCheckpoint =
  'example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n' +
  '— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n' +
  '— witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n';

const checkpoint = formatCheckpoint({ origin: 'example.org/log', size: 0, root: emptyRoot });

describe('notes', () => {
  test("Go's example is valid", () => {
    expect(peter).toMatchObject({ name: 'PeterNeumann', keyId: 0xc74f20a3, type: 1 });
    expect(openNote(peterNote, [peter])).toEqual({ text: peterText, verified: [{ verifier: peter }] });
    expect(formatVerifierKey(peter.name, peter.type, peter.publicKey)).toBe(peterKey);
  });

  test('the example of tlog-cosignature is a checkpoint with two signatures', () => {
    expect(() => openNote(sofaCheckpoint, [peter])).toThrow('no signature of a known key');
    expect(addSignatures(sofaCheckpoint, [])).toBe(sofaCheckpoint);
    expect(parseCheckpoint(sofaCheckpoint.slice(0, sofaCheckpoint.indexOf('\n\n') + 1))).toMatchObject({
      origin: 'example.com/behind-the-sofa',
      size: 20_852_163,
    });
  });

  test.each([1, 4, 6] as const)('keys of type %i sign and verify', async (type) => {
    const { signer, vkey } = createTestKey('example.org/key', type);
    const verifier = parseVerifierKey(vkey);
    const note = await signNote(checkpoint, [signer]);
    const [signature] = openNote(note, [verifier, peter]).verified;
    expect(signature?.timestamp).toBe(type === 1 ? undefined : Date.parse('2026-11-18T09:10:00Z') / 1_000);
    for (const changed of [note.replace('/log\n0', '/log\n1'), note.replace('/log\n', '/loh\n')])
      expect(() => openNote(changed, [verifier])).toThrow('the signature of example.org/key is wrong');
  });

  test.each([
    [1, 'ed25519'],
    [4, 'ed25519'],
    [6, 'ml-dsa-44'],
  ] as const)("keys of type %i verify what Node's crypto signs with %s", async (type, algorithm) => {
    const { publicKey, privateKey } =
      algorithm === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ml-dsa-44');
    const { x, pub } = publicKey.export({ format: 'jwk' }) as { x?: string; pub?: string };
    const raw = Buffer.from(x ?? pub ?? '', 'base64url');
    const signer = createSigner({
      name: 'example.org/log',
      type,
      publicKey: raw,
      sign: (message) => sign(null, message, privateKey),
      readTime: () => 1_800_000_000,
    });
    const verifier = parseVerifierKey(formatVerifierKey('example.org/log', type, raw));
    expect(openNote(await signNote(checkpoint, [signer]), [verifier]).verified).toHaveLength(1);
  });

  test('signatures of other keys are ignored, also if they share a name or an id', async () => {
    const sameName = createVerifier('PeterNeumann', 1, createTestKey('x', 1).publicKey);
    const { signer } = createTestKey('PeterNeumann', 1);
    const note = addSignatures(peterNote, [await signText(peterText, signer)]);
    expect(openNote(note, [peter, sameName]).verified).toEqual([{ verifier: peter }]);
  });

  test('one wrong signature of a known key spoils the note', async () => {
    const { signer, vkey } = createTestKey('other', 1);
    const note = addSignatures(peterNote, [await signText('another text\n', signer)]);
    expect(openNote(note, [peter]).verified).toHaveLength(1);
    expect(() => openNote(note, [peter, parseVerifierKey(vkey)])).toThrow('the signature of other is wrong');
  });

  test('a key that signs again replaces its signature', async () => {
    const first = createTestKey('example.org/w', 4, '2026-01-01T00:00:00.000Z');
    const second = createTestKey('example.org/w', 4, '2026-01-02T00:00:00.000Z');
    const note = addSignatures(await signNote(checkpoint, [first.signer]), [await signText(checkpoint, second.signer)]);
    expect(openNote(note, [parseVerifierKey(first.vkey)]).verified).toMatchObject([{ timestamp: 1_767_312_000 }]);
  });

  test.each([
    ['no signature', `${peterText}\n`],
    ['no empty line', `${peterText}${peterSignature}`],
    ['no last newline', peterNote.slice(0, -1)],
    ['an empty line at the end', `${peterNote}\n`],
    ['a signature twice', `${peterNote}${peterSignature}`],
    ['a carriage return', peterNote.replace('problem,', 'problem,\r')],
    ['a hyphen instead of the dash', peterNote.replace('— ', '- ')],
    ['two spaces', peterNote.replace('— ', '—  ')],
    ['an item too many', peterNote.replace('nAM=\n', 'nAM= x\n')],
    ['base64 without padding', peterNote.replace('nAM=\n', 'nAM\n')],
    ['base64 whose unused bits differ', peterNote.replace('nAM=\n', 'nAN=\n')],
    ['a longer signature', peterNote.replace('nAM=\n', 'nAMA\n')],
    ['half a surrogate pair', peterNote.replace('problem,', 'problem\ud800')],
    ['too many signatures', peterText + '\n' + peterSignature.repeat(101)],
    ['too long', 'x'.repeat(500_000) + peterNote],
  ])('%s: refused', (_, note) => {
    expect(() => openNote(note, [peter])).toThrow();
  });
});

test.each([
  ['another id', peterKey.replace('c74f20a3', 'c74f20a4')],
  ['an id in upper case', peterKey.replace('c74f20a3', 'C74F20A3')],
  ['another name', `x${peterKey}`],
  ['a space in the name', peterKey.replace('Peter', 'Peter ')],
  ['no name', peterKey.slice('PeterNeumann'.length)],
  ['an unknown type', 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
  ['a short key', `PeterNeumann+c74f20a3+${encodeBase64(Uint8Array.of(1, 2, 3))}`],
  ['a private key', `PRIVATE+KEY+${peterKey}`],
  ['nothing', ''],
])('a verifier key with %s is refused', (_, vkey) => {
  expect(() => parseVerifierKey(vkey)).toThrow(TypeError);
});

test.each([3, 10, 72, 2_427])('a signature of %i bytes is refused by keys of every type', (length) => {
  for (const type of [1, 4, 6] as SignatureType[])
    expect(parseVerifierKey(createTestKey('k', type).vkey).verify(checkpoint, new Uint8Array(length))).toBeUndefined();
});

describe('checkpoints', () => {
  test('keep their extension lines', () => {
    const text = formatCheckpoint({ origin: 'o', size: 1, root: emptyRoot, extensions: ['a', 'b'] });
    expect(parseCheckpoint(text)).toEqual({ origin: 'o', size: 1, root: emptyRoot, extensions: ['a', 'b'] });
    expect(() => formatCheckpoint({ origin: '', size: 1, root: emptyRoot })).toThrow('empty');
  });
  const root = encodeBase64(emptyRoot);
  test.each([
    `o\n1\n${root}`,
    `\n1\n${root}\n`,
    `o\n01\n${root}\n`,
    `o\n+1\n${root}\n`,
    `o\n-1\n${root}\n`,
    `o\n1e3\n${root}\n`,
    `o\n9007199254740992\n${root}\n`,
    `o\n\n${root}\n`,
    `o\n1\n${root.slice(4)}\n`,
    `o\n1\n${root.replace('=', '')}\n`,
    `o\n1\n${root}\n\nx\n`,
    'o\n1\n',
    '',
  ])('%j is none', (text) => {
    expect(parseCheckpoint(text)).toBeUndefined();
  });
});
