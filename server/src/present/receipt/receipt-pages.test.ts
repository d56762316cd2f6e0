import { describe, expect, test } from 'vitest';
import { plainOperator } from '../../../test/plain-operator.ts';
import { beginDelivery, beginRequest, handOver, type Told, tell, toFiles } from '../../../test/receipts.ts';
import { createTranslators } from '../texts/translator.ts';
import { receiptPages } from './receipt-pages.ts';

const translators = createTranslators({ fallback: 'en' });
const files = toFiles('contract.pdf', 'annex.pdf', 'photo.jpg');
const write = (
  events: readonly Told[],
  language = 'en',
  log: Pick<Parameters<typeof receiptPages>[2]['log'], 'witnesses' | 'stamp'> = {},
) =>
  receiptPages(translators.for(language, 'UTC'), plainOperator, {
    events,
    issuedAt: new Date('2026-11-18T10:00:00.000Z'),
    log: { origin: 'files.example.org/log/1', size: 48_213, ...log },
    publicUrl: 'https://files.example.org',
  });
const asked = beginRequest();

test('a receipt of a test says first that it is no evidence, and of nothing that it is proven', () => {
  const events = [...beginDelivery(files), ...handOver(14, files)].map(
    (event) => ({ ...event, data: { ...event.data, test: true } }) as Told,
  );
  const { result, lists } = write(events);
  expect(result).toMatchObject({ tone: 'bad', text: 'A test: no evidence of a delivery.' });
  expect(lists.map(({ heading }) => heading)).not.toContain('What this receipt proves');
  expect(write(beginDelivery(files)).lists.map(({ heading }) => heading)).toContain('What this receipt proves');
});

describe('the result', () => {
  test.each<[string, readonly Told[], string, string]>([
    [
      'everything was handed over',
      [...beginDelivery(files), ...handOver(14, files)],
      'good',
      'All 3 files were handed over, the last one on 18 November 2026 at 09:14:07 UTC.',
    ],
    [
      'a file is missing',
      [...beginDelivery(files), ...handOver(14, files.slice(0, 2))],
      'warn',
      '2 of 3 files were handed over, the last one on 18 November 2026 at 09:14:07 UTC.',
    ],
    [
      'the link was opened',
      [...beginDelivery(files), tell(3, 'link.opened', {})],
      'calm',
      'The link was opened on 18 November 2026 at 09:03:07 UTC. No file has been handed over so far.',
    ],
    [
      'nothing happened after the mail',
      beginDelivery(files),
      'calm',
      'The receiver was notified on 18 November 2026 at 09:01:07 UTC. No file has been handed over so far.',
    ],
    [
      'the mail was refused',
      [
        ...beginDelivery(files),
        tell(2, 'notification.failed', { to: 'anna@example.com', reason: '550 5.1.1 unknown' }),
      ],
      'bad',
      'The receiver could not be notified on 18 November 2026 at 09:02:07 UTC. No file has been handed over.',
    ],
    [
      'it was revoked',
      [...beginDelivery(files), tell(30, 'drop.revoked', { by: 'person', key_day: null })],
      'warn',
      'The delivery was revoked on 18 November 2026 at 09:30:07 UTC, before a file was handed over.',
    ],
    [
      'it was restored',
      [
        ...beginDelivery(files),
        tell(30, 'drop.revoked', { by: 'person', key_day: null }),
        tell(31, 'drop.restored', { by: 'person' }),
      ],
      'calm',
      'The receiver was notified on 18 November 2026 at 09:01:07 UTC. No file has been handed over so far.',
    ],
    [
      'a message was opened',
      [...beginDelivery([]), tell(3, 'link.opened', {})],
      'good',
      'The page with the message was opened on 18 November 2026 at 09:03:07 UTC.',
    ],
    ['nothing was received', asked, 'calm', 'No file has been received so far.'],
    [
      'files were received',
      [...asked, tell(5, 'content.received', { reference: 'WB-2222-3333', files })],
      'good',
      '3 files were received from Anna Andersson (anna@example.com), the last ones on 18 November 2026 at 09:05:07 UTC.',
    ],
  ])('%s', (_, events, tone, text) => {
    expect(write(events).result).toMatchObject({ tone, text });
  });
});

test('says whether the sender was shown the link and whether a code was required', () => {
  const [, doubts] = write([...beginDelivery(files), tell(2, 'link.shown', { by: 'orders@example.org' })]).lists;
  expect(doubts?.items).toContain('That it was the receiver: the link was shown to the sender’s side too.');
  expect(doubts?.items[0]).toContain('No code was required');
  const [, others] = write(beginDelivery(files, { code: 'sms' })).lists;
  expect(others?.items.join()).not.toContain('sender');
  expect(others?.items[0]).toContain('the link and the code');
});

test('names the witnesses who have seen the log, and says if there should be some', () => {
  const at = new Date('2026-11-18T09:59:00.000Z');
  const [proven, doubts] = write(beginDelivery(files), 'en', { witnesses: [{ name: 'auditor', at }] }).lists;
  expect(proven?.items.at(-1)).toBe(
    'auditor saw the same log on 18 November 2026 at 09:59:00 UTC: everything above was in it by then.',
  );
  expect(doubts?.items.join()).not.toContain('the same log');
  const [, missing] = write(beginDelivery(files), 'en', { witnesses: [] }).lists;
  expect(missing?.items.join()).toContain('has confirmed it yet');
  expect(JSON.stringify(write(beginDelivery(files)).lists)).not.toContain('the same log');
});

test('says which events an authority has stamped', () => {
  const stamp = { at: new Date('2026-11-18T09:59:00.000Z'), until: '2026-11-18T09:01:07.000Z' };
  expect(write(beginDelivery(files), 'en', { stamp }).lists[0]?.items.at(-1)).toBe(
    'A time-stamping authority stamped the log on 18 November 2026 at 09:59:00 UTC: every event until 18 November 2026 at 09:01:07 UTC was in it by then.',
  );
  expect(JSON.stringify(write(beginDelivery(files)).lists)).not.toContain('stamp');
});

test('a request names who asked and who sent, and doubts who sent', () => {
  const { facts, lists, story } = write([...asked, tell(9, 'drop.expired', { key_day: null })]);
  expect(facts.slice(0, 3).map(({ label, value }) => `${label}: ${value}`)).toEqual([
    'Files requested by: orders@example.org',
    'Files from: Anna Andersson',
    'Requested: 18 November 2026 at 09:00:07 UTC',
  ]);
  expect(lists[1]?.items[0]).toContain('Who sent the files.');
  expect(story.steps.at(-1)?.text).toBe('The request expired. Its link does not work any more.');
});

test('a file counts from the first time that all of it was sent', () => {
  const pages = write([...beginDelivery(files), ...handOver(14, files), ...handOver(40, files)]);
  expect(
    pages.files?.rows.map(({ name }) => name),
    'sorted as people read',
  ).toEqual(['annex.pdf', 'contract.pdf', 'photo.jpg']);
  expect(pages.files?.rows[1]).toMatchObject({
    name: 'contract.pdf',
    digest: '00000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000',
    time: '18 Nov 2026, 09:14:07 UTC',
  });
});

test('tells every event as a step, and files that follow one another as one', () => {
  const { steps } = write([
    ...beginDelivery(files),
    ...handOver(14, files),
    tell(20, 'drop.expired', { key_day: null }),
  ]).story;
  expect(steps.map(({ text }) => text)).toEqual([
    'orders@example.org sent 3 files. The server has all of them.',
    'A personal link was made for Anna Andersson (anna@example.com).',
    'An e\u2011mail to anna@example.com was sent: our mail server took it.',
    '3 files were handed over: every byte of them was sent.',
    'The delivery expired. Its link does not work any more.',
  ]);
});

test('an event of a later version is shown by its name', () => {
  const event = { at: '2026-11-18T09:30:00.000Z', kind: 'drop.archived', data: {} } as unknown as Told;
  expect(write([...beginDelivery(files), event]).story.steps.at(-1)?.text).toBe(
    'Another event was recorded: drop.archived',
  );
});

test('names of others cannot change the direction of the text or add lines', () => {
  const { files: shown, facts } = write(beginDelivery(toFiles('photo\u202Egpj.exe'), { name: 'Anna\nTo: Bo' }));
  expect(shown?.rows[0]?.name).toBe('photo\uFFFDgpj.exe');
  expect(facts[1]).toMatchObject({ value: 'Anna To: Bo', detail: 'anna@example.com' });
});

test('10,000 files are counted, and the first of them listed', () => {
  const many = toFiles(...Array.from({ length: 10_000 }, (_, index) => `${index}.pdf`));
  const { files: shown, result, story } = write([...beginDelivery(many), ...handOver(14, many)]);
  expect(result.text).toContain('All 10,000 files');
  expect(shown?.rows).toHaveLength(200);
  expect(shown?.note).toBe('9,800 more files are listed in the attachment receipt.json only.');
  expect(story.steps).toHaveLength(4);
});

test.each(['de', 'es', 'fr', 'sv'])('is written in %s', (language) => {
  const pages = write([...beginDelivery(files), ...handOver(14, files)], language);
  expect(pages.language).toBe(language);
  expect(JSON.stringify(pages)).not.toContain('handed over');
});
