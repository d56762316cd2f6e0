import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { concatBytes, decodeText, encodeText } from './bytes.ts';
import { toCanonicalJson } from './canonical-json.ts';
import { describeVerdict } from './describe-verdict.ts';
import type { EvidenceEvent } from './event.ts';
import { parsePolicy } from './policy.ts';
import { formatReceipt, maxReceiptBytes, type Receipt } from './receipt.ts';
import { makePdf } from './testing/make-pdf.ts';
import {
  createStory,
  createTestKey,
  createTestLog,
  listSampleEvents,
  makeSampleReceipt,
  testDrop,
  testFiles,
} from './testing/test-log.ts';
import { verifyReceipt } from './verify-receipt.ts';

const sample = await makeSampleReceipt();
const policy = parsePolicy(sample.policy);

const verify = (receipt: Receipt, trust = policy) => verifyReceipt(encodeText(toCanonicalJson(receipt)), trust);
const listProblems = async (receipt: Receipt, trust = policy) =>
  (await verify(receipt, trust)).problems.map(({ code }) => code);
const changeEvent = (position: number, change: (event: EvidenceEvent) => EvidenceEvent): Receipt => ({
  ...sample.receipt,
  entries: sample.receipt.entries.map((entry, at) =>
    at === position ? { ...entry, event: change(entry.event) } : entry,
  ),
});

describe('a receipt of a test', () => {
  test.each([
    ['every event', () => true],
    ['its submission', ({ kind }: EvidenceEvent) => kind === 'submission.accepted'],
    ['another event', ({ kind }: EvidenceEvent) => kind === 'link.opened'],
  ])('is no evidence, if %s says so', async (_, isMarked) => {
    const events = listSampleEvents().map((event) =>
      isMarked(event) ? { ...event, data: { ...event.data, test: true } } : event,
    );
    const { bytes, policy: trust } = await makeSampleReceipt({}, events);
    const verdict = await verifyReceipt(bytes, parsePolicy(trust));
    expect(verdict).toMatchObject({ isValid: false, problems: [{ code: 'test' }] });
    expect(verdict.problems).toHaveLength(1);
    expect(verdict.facts).toBeUndefined();
    expect(describeVerdict(verdict)).toContain('Its events are those of a test: it is no evidence of a delivery.');
  });

  test('cannot be made evidence by leaving the mark out', async () => {
    const events = listSampleEvents().map((event) => ({ ...event, data: { ...event.data, test: true } }));
    const { receipt, policy: trust } = await makeSampleReceipt({}, events);
    const entries = receipt.entries.map(({ event: { data, ...event }, ...entry }) => {
      const { test: _, ...rest } = data as Record<string, unknown>;
      return { ...entry, event: { ...event, data: rest } };
    });
    const problems = await listProblems({ ...receipt, entries }, parsePolicy(trust));
    expect(new Set(problems)).toEqual(new Set(['bad_proof']));
  });
});

describe('a valid receipt', () => {
  test('tells the story of its drop and receiver', async () => {
    const verdict = await verifyReceipt(sample.bytes, policy);
    expect(verdict).toMatchObject({ isValid: true, problems: [] });
    expect(verdict.facts).toMatchObject({
      submission: { reference: 'WB-7F3K-29QD', sender: { address: 'sender@example.org' } },
      consignments: [{ address: 'anna@example.com', code: 'sms', notified: true }],
      sentNotifications: [{ to: 'anna@example.com' }],
      shownLinks: [{ by: 'sender@example.org' }],
      openedLinks: [{ at: '2026-11-18T09:04:00.000Z' }],
      enteredCodes: [{ channel: 'sms' }],
      files: [
        { name: 'report.pdf', handovers: [{ at: '2026-11-18T09:05:00.000Z', to: 'anna@example.com' }] },
        { name: 'figures.csv', handovers: [] },
      ],
      end: { kind: 'revoked', by: 'sender@example.org' },
      keyDestroyedAt: '2026-11-18T09:07:00.000Z',
      unknowns: ['person', 'reading', 'later_events', 'handover'],
      remarks: [],
      logs: [
        { origin: 'files.example.org/log/1', size: 12, witnesses: [{ name: 'w1', at: '2026-11-18T09:10:00.000Z' }] },
      ],
    });
    expect(describeVerdict(verdict)).toMatchSnapshot();
  });

  test('says that a revocation was undone, and once how many files were not handed over', async () => {
    const makeEvent = createStory();
    const [started, accepted, consigned] = listSampleEvents();
    for (const { drop, receiver } of [accepted, consigned].filter((event) => event !== undefined))
      makeEvent('link.opened', {}, { drop: drop ?? '', ...(receiver !== undefined && { receiver }) });
    const by = 'sender@example.org';
    const ends = [
      makeEvent('drop.revoked', { by, key_day: null }, { at: '2026-11-18T09:06:00.000Z', drop: testDrop }),
      makeEvent('drop.restored', { by }, { at: '2026-11-18T09:07:00.000Z', drop: testDrop }),
    ];
    const events = [started, accepted, consigned, ...ends].filter((event) => event !== undefined);
    const { bytes, policy: trust } = await makeSampleReceipt({}, events);
    const verdict = await verifyReceipt(bytes, parsePolicy(trust));
    expect(verdict.facts?.end).toBeUndefined();
    const lines = describeVerdict(verdict);
    expect(lines).toContain('The delivery was revoked by sender@example.org at 2026-11-18T09:06:00.000Z.');
    expect(lines).toContain('sender@example.org undid the revocation of the delivery at 2026-11-18T09:07:00.000Z.');
    expect(lines.filter((line) => /handed over/.test(line))).toEqual([
      'No event says that 2 of its 2 files were handed over.',
    ]);
  });

  test('of the other receiver says that nothing was handed over', async () => {
    const other = await makeSampleReceipt({}, listSampleEvents(), 1);
    const { facts } = await verifyReceipt(other.bytes, parsePolicy(other.policy));
    expect(facts?.files.flatMap(({ handovers }) => handovers)).toEqual([]);
    expect(facts?.shownLinks).toEqual([]);
  });

  test.each([
    ['Ed25519', [1]],
    ['ML-DSA-44', [6]],
    ['both', [1, 6]],
  ] as const)('may be signed with %s', async (_, keys) => {
    const { bytes, policy: trust } = await makeSampleReceipt({ keys });
    const verdict = await verifyReceipt(bytes, parsePolicy(trust));
    expect(verdict.facts?.logs[0]?.signatures).toHaveLength(keys.length);
  });

  test('may have checkpoints of two logs, the second of which continues the story', async () => {
    const events = listSampleEvents();
    const logs = [1, 2].map((epoch) => createTestLog({ origin: `files.example.org/log/${epoch}`, witnesses: [] }));
    events.forEach((event, position) => logs[position < 8 ? 0 : 1]?.append(event));
    const receipt = {
      ...sample.receipt,
      checkpoints: await Promise.all(logs.map((log) => log.signCheckpoint())),
      entries: (await Promise.all(logs.map((log, position) => log.proveEntries(testDrop, 0, position)))).flat(),
    };
    const trust = logs.map((log) => log.policy.replace('quorum none\n', '')).join('') + 'quorum none\n';
    const verdict = await verify(receipt, parsePolicy(trust));
    expect(verdict.problems).toEqual([]);
    expect(verdict.facts?.unknowns).toContain('time');
    expect(await listProblems(receipt, parsePolicy(logs[0]?.policy ?? ''))).toEqual(['unknown_log']);
    const swapped = { ...receipt, checkpoints: receipt.checkpoints.toReversed() };
    expect(new Set(await listProblems(swapped, parsePolicy(trust)))).toEqual(new Set(['bad_proof']));
    const same = { ...receipt, checkpoints: [...receipt.checkpoints, ...receipt.checkpoints] };
    expect(await listProblems(same, parsePolicy(trust))).toEqual(['bad_order']);
  });

  test('says which kinds of events and files it does not know', async () => {
    const [started, accepted, ...rest] = listSampleEvents();
    const makeEvent = createStory();
    makeEvent('link.opened', {}, { drop: testDrop });
    const later = {
      ...makeEvent('link.opened', {}, { drop: testDrop }),
      kind: 'drop.praised',
      at: '2026-11-18T09:01:00.000Z',
    };
    const events = [started, accepted, later, ...rest.slice(0, 8)].filter((event) => event !== undefined);
    const { bytes, policy: trust } = await makeSampleReceipt({}, events);
    const { facts } = await verifyReceipt(bytes, parsePolicy(trust));
    expect(facts?.remarks).toEqual([{ code: 'unknown_kind', kind: 'drop.praised' }]);
    const unlisted = events.map((event) =>
      event.kind === 'content.handed_over'
        ? { ...event, data: { file: { ...testFiles[0], size: 3 }, via: 'link' } }
        : event,
    );
    const second = await makeSampleReceipt({}, unlisted);
    const verdict = await verifyReceipt(second.bytes, parsePolicy(second.policy));
    expect(verdict.facts?.remarks).toContainEqual({ code: 'unlisted_file', name: 'report.pdf' });
    expect(verdict.facts?.unknowns).toContain('handover');
  });
});

describe('tampering is named', () => {
  const { receipt } = sample;
  const { entries } = receipt;

  test('an edited event', async () => {
    const edited = changeEvent(1, (event) => ({ ...event, data: { ...event.data, address: 'eve@example.com' } }));
    expect(await listProblems(edited)).toEqual(['bad_proof']);
    expect(await listProblems(changeEvent(4, (event) => ({ ...event, at: '2026-11-18T09:04:00.001Z' })))).toEqual([
      'bad_proof',
    ]);
  });
  test('an omitted event, unless it is the last one of its story', async () => {
    const codes = await Promise.all(
      entries.map((_, position) => listProblems({ ...receipt, entries: entries.toSpliced(position, 1) })),
    );
    const kinds = entries.map(({ event }) => event.kind);
    // The submission is the first, the revocation the last event of the drop's story; the handover ends the receiver's.
    expect(Object.fromEntries(kinds.map((kind, position) => [kind, codes[position]]))).toEqual({
      'submission.accepted': ['omitted'],
      'content.consigned': ['omitted'],
      'notification.sent': ['omitted'],
      'link.shown': ['omitted'],
      'link.opened': ['omitted'],
      'code.entered': ['omitted'],
      'content.handed_over': [],
      'drop.revoked': ['foreign_event'],
      'key.destroyed': [],
    });
    expect(
      await listProblems({ ...receipt, entries: entries.filter(({ event }) => event.receiver === undefined) }),
    ).toEqual(['omitted']);
  });
  test('swapped, repeated and renumbered entries', async () => {
    const [first, second, ...rest] = entries;
    if (!first || !second) throw new Error('the sample has entries');
    expect(await listProblems({ ...receipt, entries: [second, first, ...rest] })).toContain('bad_order');
    expect(await listProblems({ ...receipt, entries: [first, second, second, ...rest] })).toContain('bad_order');
    expect(
      await listProblems({
        ...receipt,
        entries: [{ ...first, event: second.event }, { ...second, event: first.event }, ...rest],
      }),
    ).toContain('bad_proof');
    expect(await listProblems({ ...receipt, entries: [{ ...first, checkpoint: 1 }, second, ...rest] })).toContain(
      'bad_proof',
    );
    expect(await listProblems({ ...receipt, entries: [{ ...first, index: 2 ** 40 }] })).toContain('bad_proof');
  });
  test('an event of another drop or receiver, and of the log', async () => {
    expect(await listProblems({ ...receipt, drop: testDrop.replace('0190', '0191') })).toContain('foreign_event');
    expect(await listProblems({ ...receipt, receiver: 1 })).toContain('foreign_event');
    const other = await makeSampleReceipt({}, listSampleEvents(), 1);
    const mixed = [...entries, ...other.receipt.entries.filter(({ event }) => event.receiver === 1)];
    mixed.sort((a, b) => a.index - b.index);
    expect(new Set(await listProblems({ ...receipt, entries: mixed }))).toEqual(new Set(['foreign_event']));
  });
  test('a log that numbers events wrongly, and signs that', async () => {
    const events = listSampleEvents();
    const twice = [...events.slice(0, 8), ...events.slice(7, 8), ...events.slice(8)];
    const { bytes, policy: trust } = await makeSampleReceipt({}, twice);
    const { problems } = await verifyReceipt(bytes, parsePolicy(trust));
    expect(problems.map(({ code }) => code)).toEqual(['bad_order']);
  });
  test('a checkpoint that another key signed, or that was changed', async () => {
    const [note = ''] = receipt.checkpoints;
    const other = parsePolicy(createTestLog({ origin: 'files.example.org/log/2' }).policy);
    expect(await listProblems(receipt, other)).toEqual(['unknown_log']);
    const forged = parsePolicy(`log ${createTestKey('files.example.org/log/1', 6).vkey}\nquorum none\n`);
    expect(await listProblems(receipt, forged)).toEqual(['bad_signature']);
    expect(await listProblems({ ...receipt, checkpoints: [note.replace('\n12\n', '\n13\n')] })).toContain(
      'bad_signature',
    );
    const unsigned = note.replace(/— files\.example\.org.*\n/, '');
    expect(await listProblems({ ...receipt, checkpoints: [unsigned] })).toEqual(['bad_signature']);
    const unwitnessed = note.replace(/— witness.*\n/, '');
    expect(await listProblems({ ...receipt, checkpoints: [unwitnessed] })).toEqual(['no_quorum']);
    expect(await listProblems({ ...receipt, checkpoints: ['x'] })).toEqual(['bad_signature']);
  });
  test('a wrong signature beside a right one', async () => {
    const both = await makeSampleReceipt({ keys: [1, 6] });
    const note = both.receipt.checkpoints[0] ?? '';
    const [, line = ''] = /(— files\S+ \S{2000,})\n/.exec(note) ?? [];
    const damaged = note.replace(line, `${line.slice(0, -20)}${line.at(-20) === 'A' ? 'B' : 'A'}${line.slice(-19)}`);
    expect(await listProblems({ ...both.receipt, checkpoints: [damaged] }, parsePolicy(both.policy))).toEqual([
      'bad_signature',
    ]);
  });
});

describe('clocks', () => {
  const changeTimes = (times: Record<string, string>) =>
    listSampleEvents().map((event) => ({ ...event, at: times[event.kind] ?? event.at }));
  const listRemarks = async (events: EvidenceEvent[], time?: string) => {
    const { bytes, policy: trust } = await makeSampleReceipt(time ? { time, keys: [1, 6] } : {}, events);
    const { facts } = await verifyReceipt(bytes, parsePolicy(trust));
    return facts?.remarks.map(({ code }) => code);
  };
  test('a clock that was set back is named', async () => {
    expect(await listRemarks(changeTimes({ 'content.handed_over': '2026-11-18T08:58:59.999Z' }))).toEqual([
      'clock_set_back',
    ]);
    expect(await listRemarks(changeTimes({ 'content.handed_over': '2026-11-18T08:59:00.000Z' }))).toEqual([]);
  });
  test('an event that a cosigner saw before it happened is named', async () => {
    expect(await listRemarks(changeTimes({ 'key.destroyed': '2026-11-18T09:15:00.001Z' }))).toEqual(['clock_ahead']);
    expect(await listRemarks(changeTimes({ 'key.destroyed': '2026-11-18T09:15:00.000Z' }))).toEqual([]);
    expect(await listRemarks(listSampleEvents(), '2026-11-18T09:01:59.000Z')).toEqual(['clock_ahead', 'clock_ahead']);
  });
});

describe('the form', () => {
  const json = decodeText(sample.bytes);
  test.each([
    ['nothing', ''],
    ['no JSON', 'receipt'],
    ['another document', '{"type":"invoice"}'],
    ['a policy', sample.policy],
    ['a byte order mark', `\ufeff${json}`],
    ['no object', `${'['.repeat(200_000)}${']'.repeat(200_000)}`],
  ])('%s: not a receipt', async (_, text) => {
    expect((await verifyReceipt(encodeText(text), policy)).problems.map(({ code }) => code)).toEqual(['no_receipt']);
  });
  test.each([
    ['the beginning', json.slice(0, 500)],
    ['white space', `${json}\n`],
    ['other order', `{"type":"waybill-receipt@v1",${json.slice(1).replace(',"type":"waybill-receipt@v1"', '')}`],
    ['a member twice', `{"drop":"x",${json.slice(1)}`],
    ['a number in another form', json.replace('"index":1,', '"index":1.0,')],
    ['an escape that is not needed', json.replace('"drop"', '"dr\\u006fp"')],
    ['a member too many', json.replace('"issued_at"', '"hidden":1,"issued_at"')],
    ['a member too few', json.replace(/"issued_at":"[^"]*",/, '')],
    ['another version', json.replace('@v1', '@v2')],
    ['a time in another form', json.replace('T10:00:00.000Z', 'T10:00:00Z')],
    ['a day that does not exist', json.replace('2026-11-18T10', '2026-02-30T10')],
    ['a negative receiver', json.replace('"receiver":0,"type"', '"receiver":-1,"type"')],
    ['a salt that is too short', json.replace(/"salt":"[^"]{4}/, '"salt":"')],
    ['data without its members', json.replace('"code":"sms",', '')],
    ['a fraction in an event', json.replace('"code":"sms",', '"code":"sms","extra":1.5,')],
    ['a number that is too large in an event', json.replace('"code":"sms",', '"code":"sms","extra":1e400,')],
    ['half a surrogate pair in an event', json.replace('"code":"sms",', '"code":"sms","extra":"\\ud800",')],
    ['half a surrogate pair in a name', json.replace('"code":"sms",', '"code":"sms","\\udc00":0,')],
    ['too deep', json.replace('"code":"sms",', `"code":"sms","extra":${'['.repeat(200_000)}${']'.repeat(200_000)},`)],
  ])('%s: unreadable', async (_, text) => {
    const { problems, facts } = await verifyReceipt(encodeText(text), policy);
    expect(problems.map(({ code }) => code)).toEqual(['unreadable']);
    expect(facts).toBeUndefined();
  });
  test('bytes that are not UTF-8: unreadable', async () => {
    const bytes = sample.bytes.slice();
    bytes[bytes.indexOf('W'.charCodeAt(0))] = 0xff;
    expect((await verifyReceipt(bytes, policy)).problems[0]?.code).toBe('unreadable');
  });
  test('a receipt that is not valid cannot be written', () => {
    expect(() => formatReceipt({ ...sample.receipt, issued_at: 'now' })).toThrow('form of a receipt');
  });
  test('a name cannot pretend to be another line', async () => {
    const events = listSampleEvents().map((event) =>
      event.kind === 'link.shown' ? { ...event, data: { by: 'x\nThe receipt is valid.\u202e' } } : event,
    );
    const { bytes, policy: trust } = await makeSampleReceipt({}, events);
    const lines = describeVerdict(await verifyReceipt(bytes, parsePolicy(trust)));
    expect(lines.filter((line) => /[\n\u202e]/.test(line))).toEqual([]);
  });
});

describe('a PDF', () => {
  const name = 'receipt.json';
  const attachment = { name, bytes: sample.bytes };
  const compressed = { name, bytes: deflateSync(sample.bytes), isCompressed: true };
  const other = { name: '01-submission.accepted.tlog-proof', bytes: encodeText('4 0 obj endobj (receipt.json)') };

  test('carries its receipt raw or compressed, beside other attachments', async () => {
    for (const attachments of [[attachment], [compressed], [other, attachment, other], [other, compressed]])
      expect((await verifyReceipt(makePdf(attachments), policy)).problems).toEqual([]);
  });
  test.each([
    ['without a receipt', makePdf([other])],
    ['without anything', encodeText('%PDF-1.7\n')],
    ['of another program', encodeText('%PDF-1.4\n1 0 obj\n<< /Length 2 0 R >>\nstream\nx\nendstream\nendobj\n')],
  ])('%s: not a receipt', async (_, pdf) => {
    expect((await verifyReceipt(pdf, policy)).problems.map(({ code }) => code)).toEqual(['no_receipt']);
  });
  test.each([
    ['with two receipts', makePdf([attachment, compressed]), 'more than one'],
    [
      'whose receipt was replaced by an update',
      concatBytes(makePdf([attachment]), makePdf([compressed])),
      'more than one',
    ],
    ['whose receipt is damaged', makePdf([{ ...compressed, bytes: compressed.bytes.subarray(0, 40) }]), 'is damaged'],
    ['whose receipt is no zlib stream', makePdf([{ ...attachment, isCompressed: true }]), 'is damaged'],
    [
      'that would fill the memory',
      makePdf([{ ...compressed, bytes: deflateSync(new Uint8Array(maxReceiptBytes + 1)) }]),
      'too large',
    ],
    [
      'with a wrong length',
      encodeText(decodeText(makePdf([attachment])).replace(/\/Length \d+/, '/Length 10')),
      'a stream has no end',
    ],
    [
      'with another compression',
      encodeText(decodeText(makePdf([attachment])).replace('/Length', '/Filter /LZWDecode /Length')),
      'in another way',
    ],
  ])('%s: refused', async (_, pdf, message) => {
    const { problems } = await verifyReceipt(pdf, policy);
    expect(problems).toEqual([{ code: 'unreadable', message: expect.stringContaining(message) as string }]);
  });
});
