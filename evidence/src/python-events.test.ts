// Holds what the verifier in Python requires of events against what the one here does.
import { expect, test } from 'vitest';
import { encodeText } from './bytes.ts';
import { type JsonValue, toCanonicalJson } from './canonical-json.ts';
import { type EventData, type EventKind, type EvidenceEvent, isEvent, isEventComplete } from './event.ts';
import { runPython, verifyByPython, verifyHere } from './testing/python-verifier.ts';
import { createTestLog, listSampleEvents, makeSampleReceipt, testDrop, testFiles } from './testing/test-log.ts';

test('both require the data of a kind in an event that the log contains, and bound its depth', async () => {
  const sample = await makeSampleReceipt();
  const makeReceipt = async (edit: (data: EvidenceEvent['data']) => object) => {
    const log = createTestLog();
    for (const event of listSampleEvents())
      log.append(event.kind === 'link.shown' ? { ...event, data: edit(event.data) } : event);
    const entries = await log.proveEntries(testDrop, 0);
    return encodeText(toCanonicalJson({ ...sample.receipt, checkpoints: [await log.signCheckpoint()], entries }));
  };
  const nest = (depth: number): JsonValue => (depth === 1 ? [] : [nest(depth - 1)]);
  const receipts = await Promise.all([
    makeReceipt((data) => ({ ...data, later: 1 })),
    makeReceipt((data) => ({ ...data, later: nest(11) })),
    makeReceipt((data) => ({ ...data, later: nest(12) })),
    makeReceipt(() => ({})),
    makeReceipt(() => ({ by: null })),
  ]);
  const expected = [true, true, false, false, false];
  expect([await verifyHere(receipts, sample.policy), verifyByPython(receipts, sample.policy)]).toEqual([
    expected,
    expected,
  ]);
});

const completeData: { readonly [K in EventKind]: EventData<K> } = {
  'submission.accepted': {
    reference: 'WB-7F3K-29QD',
    type: 'drop',
    sender: { address: 'sender@example.org', by: 'person' },
    files: testFiles,
    receivers: 2,
    expires_at: '2026-11-25T09:00:00.000Z',
    message_sha256: '0'.repeat(64),
  },
  'drop.extended': { expires_at: '2026-11-25T09:00:00.000Z' },
  'drop.expired': { key_day: '2026-11-25' },
  'drop.revoked': { by: 'sender@example.org', key_day: null },
  'drop.restored': { by: 'sender@example.org' },
  'content.consigned': { address: 'anna@example.com', name: 'Anna', code: 'sms', passphrase: true, notified: true },
  'notification.sent': { channel: 'mail', to: 'anna@example.com', purpose: 'invitation', response: '250 OK' },
  'notification.accepted': { to: 'anna@example.com', server: 'mail.example.com', status: '2.0.0' },
  'notification.failed': { to: 'anna@example.com', status: '5.1.1', reason: 'no such user' },
  'link.shown': { by: 'sender@example.org' },
  'link.revoked': { by: 'sender@example.org' },
  'link.opened': {},
  'link.downloaded': { downloads: 1 },
  'code.entered': { channel: 'sms' },
  'passphrase.entered': {},
  'content.handed_over': { file: { name: 'report.pdf', size: 1, sha256: '0'.repeat(64) }, via: 'link' },
  'content.received': { reference: 'WB-7F3K-29QD', files: testFiles },
  'log.started': { origin: 'example.org/log/2', previous: { origin: 'x', size: 1, root: 'x' }, reason: 'new' },
  'log.key_added': { key: 'x' },
  'log.key_retired': { key: 'x' },
  'key.destroyed': { day: '2026-11-25' },
};
const otherValues = [undefined, null, true, -1, 0, '', 'x'.repeat(101), '\u{1f600}'.repeat(2_049), '2026-1-01', [], {}];
/** Lists a value with each other value in each place. */
function listVariants(value: JsonValue): (JsonValue | undefined)[] {
  if (typeof value !== 'object' || value === null) return otherValues;
  if (Array.isArray(value)) {
    const list = value as JsonValue[];
    return [
      ...otherValues,
      ...list.flatMap((item, at) => listVariants(item).map((other) => list.with(at, other ?? null))),
    ];
  }
  const object = value as { readonly [name: string]: JsonValue };
  const within = Object.entries(object).flatMap(([name, member]) =>
    listVariants(member).map((other) => ({ ...object, [name]: other }) as JsonValue),
  );
  return [...otherValues, ...within];
}

test('both judge alike whether an event is complete', () => {
  const [sampleEvent] = listSampleEvents();
  const events = [...Object.entries(completeData), ['drop.praised', {}] as const]
    .map(([kind, data]) => ({ ...sampleEvent, kind, data, drop: testDrop, receiver: 0 }))
    .flatMap((event) => [event, ...listVariants(event)])
    .map((event) => JSON.parse(JSON.stringify(event ?? null)) as JsonValue);
  const results = events.map((event) => (isEvent(event) && isEventComplete(event) ? 'complete' : 'refused'));
  const ofPython = runPython(
    'check',
    events.map((event) => encodeText(toCanonicalJson(event))),
  );
  expect(events.filter((_, place) => ofPython[place] !== results[place])).toEqual([]);
  expect(new Set(results).size).toBe(2);
});
