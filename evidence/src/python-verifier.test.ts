// Holds the verifier in Python, which was written from docs/evidence.md alone, against the one here and the document's example.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { expect, test } from 'vitest';
import {
  decodeBase64,
  formatVerifierKey,
  hashLeaf,
  parseAuthorities,
  parsePolicy,
  signText,
  toCanonicalJson,
  verifyInclusion,
  verifyReceipt,
} from './index.ts';
import type { Receipt, ReceiptTimeStamp } from './receipt.ts';
import { runPython, verifyByPython, verifyHere } from './testing/python-verifier.ts';
import { createTestKey, listSampleEvents, makeSampleReceipt } from './testing/test-log.ts';
import { readTimeStamp, TimeStampError } from './time-stamp.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const policy = read('docs/examples/receipt-policy.txt');
const example = read('docs/examples/receipt.json');
const stamped = read('docs/examples/stamped-receipt.json');

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);
type Draft = { -readonly [K in keyof Receipt]: Receipt[K] };
/** The example with a change, in canonical form again. */
function change(edit: (receipt: Draft) => void): Uint8Array {
  const receipt = JSON.parse(example) as Draft;
  edit(receipt);
  return bytes(toCanonicalJson(receipt));
}
/** The example with a time stamp, which is changed. */
function changeStamp(edit: (stamp: ReceiptTimeStamp) => Partial<ReceiptTimeStamp> | ReceiptTimeStamp[]): Uint8Array {
  const { time_stamps: [stamp] = [], ...receipt } = JSON.parse(stamped) as Receipt;
  if (!stamp) throw new TypeError('the example has no time stamp');
  const edited = edit(stamp);
  return bytes(
    toCanonicalJson({ ...receipt, time_stamps: Array.isArray(edited) ? edited : [{ ...stamp, ...edited }] }),
  );
}
const changeToken = (token: string, at: number) =>
  Buffer.from(Buffer.from(token, 'base64').map((byte, place) => (place === at ? byte ^ 1 : byte))).toString('base64');
function makePdf(attachment: string, isCompressed: boolean, more = ''): Uint8Array {
  const content = isCompressed ? deflateSync(attachment) : bytes(attachment);
  const filter = isCompressed ? '/Filter /FlateDecode ' : '';
  return Buffer.concat([
    bytes(`%PDF-1.7\n1 0 obj\n<< /Type /EmbeddedFile ${filter}/Length ${content.length} >>\nstream\n`),
    content,
    bytes(
      `\nendstream\nendobj\n2 0 obj\n<< /Type /Filespec /F (receipt.json) /EF << /F 1 0 R >> >>\nendobj\n${more}%%EOF\n`,
      'latin1',
    ),
  ]);
}
/** With lines of keys that nobody knows. */
function addStrangers(count: number, name: string): Uint8Array {
  const lines = Array.from({ length: count }, (_, place) => `— ${name}${place} AAAAAAAA\n`).join('');
  return change((receipt) => (receipt.checkpoints = receipt.checkpoints.map((note) => note + lines)));
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
  'a time stamp': bytes(stamped),
  'a time stamp whose signature was changed': changeStamp(({ token }) => ({ token: changeToken(token, 980) })),
  'a hundred signatures': addStrangers(98, 'x'),
  'issued in the year 1': change((receipt) => (receipt.issued_at = '0001-01-01T00:00:00.000Z')),
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
  'a signature of the log twice': change(
    (receipt) => (receipt.checkpoints = receipt.checkpoints.map((note) => note.replace(/\n(— files.*\n)/, '\n$1$1'))),
  ),
  'more than a hundred signatures': addStrangers(100, 'x'),
  'a signature whose name has a delete character': addStrangers(1, 'x\u007f'),
  'a signature whose name has a byte order mark': addStrangers(1, 'x\ufeff'),
  'a signature whose name has a no-break space': addStrangers(1, 'x\u00a0'),
  'a signature whose name has a next line': addStrangers(1, 'x\u0085'),
  'issued in the year 0': change((receipt) => (receipt.issued_at = '0000-01-01T00:00:00.000Z')),
  'a note that is too large, in bytes': addStrangers(6, 'ä'.repeat(6_500)),
  'no signature of the log': change(
    (receipt) => (receipt.checkpoints = receipt.checkpoints.map((note) => note.replace(/\n— files.*\n/, '\n'))),
  ),
  'no cosignature': change(
    (receipt) => (receipt.checkpoints = receipt.checkpoints.map((note) => note.replace(/— witness.*\n/, ''))),
  ),
  'another time of the cosignature': bytes(example.replace('AABq/Wp4', 'AABq/Wp5')),
  'no time stamp in the list': changeStamp(() => []),
  'a time stamp twice': changeStamp((stamp) => [stamp, stamp]),
  'a time stamp of another log': changeStamp(() => ({ checkpoint: 1 })),
  'a time stamp of another size': changeStamp(() => ({ size: 3 })),
  'a time stamp of another root': changeStamp(({ proof }) => ({ root: proof[0] ?? '' })),
  'a time stamp without a proof': changeStamp(() => ({ proof: [] })),
  'a time stamp with a longer proof': changeStamp(({ proof }) => ({ proof: [...proof, ...proof] })),
  'a time stamp that is for something else': changeStamp(({ token }) => ({ token: changeToken(token, 85) })),
  'a time stamp that is cut off': changeStamp(({ token }) => ({ token: token.slice(0, -4) })),
  'a time stamp with another member': changeStamp(() => ({ note: 'x' }) as object),
  'a PDF without an attachment': bytes('%PDF-1.7\n%%EOF\n'),
  'a PDF with two receipts': makePdf(example, true, second),
  'a PDF with a damaged attachment': makePdf(example, true).map((byte, at) => (at === 120 ? byte ^ 1 : byte)),
};

/** Other objects that may have the name, in every notation of PDF. */
const other = (name: string, more = '') => `3 0 obj\n<< /Type /Filespec ${name} /EF << /F 4 0 R >> ${more}>>\nendobj\n`;
const renamed: Record<string, string> = {
  'by escapes': other('/F (rec\\145ipt.json)'),
  'in hexadecimal': other('/F <726563656970742e6a736f6e>'),
  'in UTF-16': other(`/F (\u00fe\u00ff${'receipt.json'.replaceAll(/./g, '\0$&')})`),
  'in another key': other('/F (a.json) /UF (receipt.json)'),
  'behind an escaped key': other('/#46 (receipt.json)'),
  'in an update of the same object': second.replace('3 0', '2 0'),
  'in an update of the stream': '1 0 obj\n<< /Length 2 >>\nstream\n{}\nendstream\nendobj\n',
  'in an update of the stream with a zero before its number':
    '01 00 obj\n<< /Length 2 >>\nstream\n{}\nendstream\nendobj\n',
  'in a list of attachments': '3 0 obj\n<< /Names [(receipt.json) 4 0 R] >>\nendobj\n',
  'without a reference': '3 0 obj\n<< /Names [(receipt.json)] >>\nendobj\n',
  'outside of objects': '(receipt.json)\n',
  'with white space of other kinds': second.replace('/F (receipt', '/F\u000b(receipt'),
  'in an object stream': '3 0 obj\n<< /Type /ObjStm /Length 0 >>\nstream\n\nendstream\nendobj\n',
};
const rewrite = (pdf: Uint8Array, from: RegExp, to: string) =>
  bytes(Buffer.from(pdf).toString('latin1').replace(from, to), 'latin1');
for (const [how, written] of Object.entries({ string: '($1)', hexadecimal: '<$1>', name: '/$1', reference: '$1 0 R' }))
  refused[`a PDF whose stream has its length as ${how}`] = rewrite(
    makePdf(example, false),
    /(?<=\/Length )(\d+)/,
    written,
  );
/** A specification that names itself: each of the two objects is only half of what both must be. */
const ownStream = `1 0 obj\n<< /Type /Filespec /F (receipt.json) /EF << /F 1 0 R >> /Length ${bytes(example).length} >>\nstream\n${example}\nendstream\nendobj\n`;
const otherStream = '1 0 obj\n<< /Length 2 >>\nstream\n{}\nendstream\nendobj\n';
refused['a PDF whose attachment is its own specification'] = bytes(`%PDF-1.7\n${ownStream}%%EOF\n`);
refused['a PDF whose attachment is its own specification, and another object'] = bytes(
  `%PDF-1.7\n${ownStream}${otherStream}%%EOF\n`,
);
refused['a PDF whose stream has a filter without a name'] = rewrite(
  makePdf(example, false),
  / >>\nstream/,
  ' /Filter$&',
);
for (const [how, more] of Object.entries(renamed))
  refused[`a PDF that names another receipt ${how}`] = makePdf(example, true, more);
proven['a PDF with a list of attachments'] = makePdf(
  example,
  true,
  '3 0 obj\n<< /Names [(receipt.json) 2 0 R (a) 7 0 R] >>\nendobj\n',
);
proven['a PDF with other attachments and strings'] = makePdf(
  example,
  true,
  `${other('/F (a \\(receipt.json\\).txt)')}4 0 obj\n<< /Length 1 /Title (an (inner) receipt.json) >>\nstream\nx\nendstream\nendobj\n`,
);

test('both accept the same receipts, and refuse the same ones', async () => {
  const all = { ...proven, ...refused };
  const name = (verdicts: readonly boolean[]) => Object.keys(all).filter((_, place) => verdicts[place]);
  expect(name(await verifyHere(Object.values(all))).toSorted()).toEqual(Object.keys(proven).toSorted());
  expect(name(verifyByPython(Object.values(all)))).toEqual(Object.keys(proven));
});

/** The seeds of RFC 8032, section 7.1, tests 1 and 2, with which the example is signed. */
const seeds = [
  '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
  '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
].map((seed) => Buffer.from(seed, 'hex'));
const [note = ''] = (JSON.parse(example) as Receipt).checkpoints;
const [noteText = ''] = note.split(/(?<=\n)\n/);
const origin = 'files.example.org/log/1';
const replaceSignatures = (...lines: string[]) =>
  change((receipt) => (receipt.checkpoints = [`${noteText}\n${lines.map((line) => `${line}\n`).join('')}`]));

/** A signature whose points have parts of small order, which a cofactored equation accepts, and the other if `k` is a multiple of 8. */
function signWith({ inKey, inR, isMultiple }: { inKey: number; inR: number; isMultiple: boolean }) {
  const { Point } = ed25519;
  const { scalar, point } = ed25519.utils.getExtendedPublicKey(seeds[0] ?? Buffer.alloc(0));
  const torsion = (place: number) => Point.fromHex(ED25519_TORSION_SUBGROUP[place] ?? '');
  const publicKey = point.add(torsion(inKey)).toBytes();
  for (let r = 1n; ; r += 1n) {
    const commitment = Point.BASE.multiply(r).add(torsion(inR)).toBytes();
    const digest = createHash('sha512').update(commitment).update(publicKey).update(noteText).digest().toReversed();
    const k = BigInt(`0x${Buffer.from(digest).toString('hex')}`) % Point.Fn.ORDER;
    if ((k % 8n === 0n) !== isMultiple) continue;
    const s = Point.Fn.toBytes(Point.Fn.create(r + k * scalar));
    const vkey = formatVerifierKey(origin, 1, publicKey);
    const id = Buffer.from(vkey.split('+')[1] ?? '', 'hex');
    const line = `— ${origin} ${Buffer.concat([id, commitment, s]).toString('base64')}`;
    return { trust: `log ${vkey}\nquorum none\n`, receipt: replaceSignatures(line) };
  }
}

test.each([
  ['an honest key', { inKey: 0, inR: 0, isMultiple: false }, true],
  ['a key of mixed order', { inKey: 1, inR: 0, isMultiple: false }, false],
  ['a key of mixed order that both equations accept', { inKey: 1, inR: 0, isMultiple: true }, false],
  ['R of mixed order', { inKey: 0, inR: 1, isMultiple: false }, false],
  ['a key and R of mixed order', { inKey: 3, inR: 5, isMultiple: true }, false],
] as const)('both judge a signature of Ed25519 by %s alike', async (_, points, isProven) => {
  const { trust, receipt } = signWith(points);
  expect([await verifyHere([receipt], trust), verifyByPython([receipt], trust)]).toEqual([[isProven], [isProven]]);
});

test('both judge the times of cosignatures alike: until the end of the year 9999', async () => {
  const logLine = note.split('\n').find((line) => line.startsWith('— files')) ?? '';
  const sign = (seconds: bigint) => {
    const time = Buffer.alloc(8);
    time.writeBigUInt64BE(seconds);
    const message = bytes(`cosignature/v1\ntime ${seconds}\n${noteText}`);
    const signature = ed25519.sign(message, seeds[1] ?? Buffer.alloc(0));
    const id = Buffer.from('e8498172', 'hex');
    return replaceSignatures(
      logLine,
      `— witness.example.com/w1 ${Buffer.concat([id, time, signature]).toString('base64')}`,
    );
  };
  const receipts = [0n, 253_402_300_799n, 253_402_300_800n, 2n ** 63n - 1n, 2n ** 64n - 1n].map(sign);
  const expected = [true, true, false, false, false];
  expect([await verifyHere(receipts), verifyByPython(receipts)]).toEqual([expected, expected]);
});

test('the verdict of Python names the signatures that it did not check', async () => {
  const key = createTestKey(origin, 6);
  const line = await signText(noteText, key.signer);
  const receipt = change((draft) => (draft.checkpoints = [`${note}${line}`]));
  const folder = mkdtempSync(join(tmpdir(), 'waybill-python-'));
  writeFileSync(join(folder, 'receipt.json'), receipt);
  const judge = (trust: string) => {
    writeFileSync(join(folder, 'policy.txt'), trust);
    const script = new URL('../python/verify_receipt.py', import.meta.url).pathname;
    const paths = [join(folder, 'receipt.json'), '--policy', join(folder, 'policy.txt')];
    return spawnSync('python3', ['-B', script, ...paths], { encoding: 'utf8' }).stdout;
  };
  const known = judge(`log ${key.vkey}\n${policy}`);
  const unknown = judge(policy);
  rmSync(folder, { recursive: true });
  expect(known).toMatch(/^PROVEN\n[^]*\nnot checked: the signature of files\.example\.org\/log\/1, ML-DSA-44\n/);
  expect(unknown).toContain(`not checked: the signature of ${origin}, of a key that you did not name\n`);
});

test('neither takes a receipt of a test for evidence', async () => {
  const events = listSampleEvents().map((event) => ({ ...event, data: { ...event.data, test: true } }));
  const made = await makeSampleReceipt({ witnesses: [] }, events);
  const folder = mkdtempSync(join(tmpdir(), 'waybill-python-'));
  writeFileSync(join(folder, 'receipt.json'), made.bytes);
  writeFileSync(join(folder, 'policy.txt'), made.policy);
  const script = new URL('../python/verify_receipt.py', import.meta.url).pathname;
  const paths = [join(folder, 'receipt.json'), '--policy', join(folder, 'policy.txt')];
  const { status, stdout } = spawnSync('python3', ['-B', script, ...paths], { encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  expect([status, stdout]).toEqual([
    1,
    'NOT PROVEN: its events are those of a test: it is no evidence of a delivery\n',
  ]);
  expect((await verifyReceipt(made.bytes, parsePolicy(made.policy))).problems).toMatchObject([{ code: 'test' }]);
});

test('the verdict of Python is printed where the characters of a name cannot be', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-python-'));
  const trust = join(folder, 'policy.txt');
  const receipt = join(folder, 'receipt.json');
  writeFileSync(trust, policy);
  writeFileSync(receipt, addStrangers(1, 'ä'));
  const script = new URL('../python/verify_receipt.py', import.meta.url).pathname;
  const { stdout, status } = spawnSync('python3', ['-B', script, receipt, '--policy', trust], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'ascii' },
  });
  rmSync(folder, { recursive: true });
  expect([status, stdout.split('\n')[0]]).toEqual([0, 'PROVEN']);
});

test('the example with a time stamp says since when the authority knows the first two events', async () => {
  const authorities = parseAuthorities(read('docs/examples/time-stamp-ca.pem'));
  const { facts } = await verifyReceipt(bytes(stamped), parsePolicy(policy), { authorities });
  const fact = { origin: 'files.example.org/log/1', size: 4, eventCount: 2, at: '2026-11-18T09:05:00.000Z' };
  expect(facts?.timeStamps).toEqual([{ ...fact, authority: 'Example Clock, Example Time' }]);
  const changed = changeStamp(({ token }) => ({ token: changeToken(token, 980) }));
  const { problems } = await verifyReceipt(changed, parsePolicy(policy), { authorities });
  expect(problems).toMatchObject([
    { code: 'bad_time_stamp', message: 'Time stamp 1 is not valid: The signature of the time stamp is wrong.' },
  ]);
});

test('both read the same from a time stamp that was changed, or refuse it', () => {
  const token = Buffer.from((JSON.parse(stamped) as Receipt).time_stamps?.[0]?.token ?? '', 'base64');
  const tokens = Array.from(token, (_, at) =>
    Buffer.from(token.map((byte, place) => (place === at ? byte ^ 1 : byte))),
  );
  const readHere = (changed: Uint8Array) => {
    try {
      const { imprint, at } = readTimeStamp(changed);
      return `${Buffer.from(imprint).toString('hex')} ${at.slice(0, 19)}`;
    } catch (error) {
      if (error instanceof TimeStampError) return 'refused';
      throw error;
    }
  };
  const results = tokens.map(readHere);
  expect(runPython('read', tokens)).toEqual(results);
  expect(new Set(results).size).toBeGreaterThan(2);
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
