import { expect, test } from 'vitest';
import { makeAuditEntry } from '../../../test/audit-entry.ts';
import { formatMessage, frameMessage } from './target.ts';

const shape =
  /^<(?<priority>\d+)>1 (?<time>\S+) (?<host>\S+) waybill - (?<id>[!-~]{1,32}) \[waybill@32473(?<data>(?: [a-z_]+="(?:[^"\\\]]|\\["\\\]])*")+)\] (?<text>\{[ -~]*\})$/;
const parse = (message: string) => shape.exec(message)?.groups ?? {};

test('a message has the parts of RFC 5424', () => {
  expect(parse(formatMessage(makeAuditEntry(), 'files.example.org'))).toMatchObject({
    priority: '110',
    time: '2026-11-18T09:00:00.123Z',
    host: 'files.example.org',
    id: 'drop.extended',
    data: ' id="01a1dca1-b6e4-73d7-b45e-3306c96c241d" account_id="01a1dca1-0000-7000-8000-000000000001" actor_kind="person" actor_id="01a1dca1-0000-7000-8000-000000000002" actor_name="eva@example.org" actor_address="192.0.2.7"',
  });
});

test.each([
  ['person.sign_in_failed', '108'],
  ['key.created', '109'],
  ['file.uploaded', '110'],
])('%s has the priority %s', (action, priority) => {
  expect(parse(formatMessage(makeAuditEntry({ action }), 'h'))['priority']).toBe(priority);
});

test('nobody can end a value, a message or its head early', () => {
  const author = { kind: 'link', id: 'a"] b\\', name: 'Jörg\n<1>1 \u{1F600}', address: '' } as const;
  const entry = makeAuditEntry({ author, action: 'odd action\n'.repeat(9), details: { note: '\n"]é\u{1F600}' } });
  const { data, text = '', id } = parse(formatMessage(entry, 'h h'));
  expect(data).toContain(' actor_id="a\\"\\] b\\\\" actor_name="Jörg?<1>1 \u{1F600}"');
  expect(id).toBe('odd?action?odd?action?odd?action');
  expect(JSON.parse(text)).toMatchObject({ details: { note: '\n"]é\u{1F600}' }, actor: { name: author.name } });
});

test('an entry that is too large says so, and stays below the limit', () => {
  const large = { note: 'é'.repeat(2_000) };
  const entry = makeAuditEntry({ details: large, before: large, addresses: ['a@example.org'] });
  const message = formatMessage(entry, 'h');
  const { data, text = '' } = parse(message);
  expect(Buffer.byteLength(message)).toBeLessThan(8192);
  expect(data).toContain(' truncated="true"');
  expect(JSON.parse(text)).toMatchObject({ id: entry.id, action: 'drop.extended', truncated: true });
  expect(JSON.parse(text)).not.toHaveProperty('details');
});

test('the length of a frame is counted in bytes', () => {
  expect(frameMessage('é')).toBe('2 é');
});
