import { expect, test } from 'vitest';
import { makeAuditEntry } from '../../../test/audit-entry.ts';
import { auditActions } from './actions.ts';
import type { FullAuditEntry } from './audit-store.ts';
import { toAuditJson } from './to-audit-json.ts';
import { toOcsf } from './to-ocsf.ts';

/**
 * The rules of OCSF 1.3.0 that are relied on, for the three classes: the attributes that it requires, at every depth,
 * and groups of which one is required where their object is there.
 */
const required = {
  all: ['category_uid', 'class_uid', 'activity_id', 'type_uid', 'severity_id', 'time', 'metadata'],
  metadata: ['metadata.version', 'metadata.product', 'metadata.product.vendor_name'],
  3001: ['user'],
  3002: ['user', 'service'],
  3004: ['entity'],
} as const;
const oneOf = {
  actor: ['user', 'process', 'session', 'app_name', 'app_uid'],
  'actor.user': ['account', 'name', 'uid'],
  user: ['account', 'name', 'uid'],
  entity: ['name', 'uid'],
  service: ['name', 'uid'],
  src_endpoint: ['ip', 'uid', 'name', 'hostname', 'svc_name'],
} as const;
const activities = { 3001: [1, 2, 3, 4, 5, 6, 10, 11, 99], 3002: [1, 2], 3004: [1, 2, 3, 4] } as const;
const severities = [1, 2, 3];
const userTypes = [0, 1, 2, 3, 99];
/** By name, so that a misspelt attribute is noticed. */
const attributes =
  'category_uid class_uid activity_id activity_name type_uid severity_id status_id time message metadata actor src_endpoint user service is_remote entity unmapped'.split(
    ' ',
  );

const pick = (event: unknown, path: string) =>
  path.split('.').reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], event);

function expectValid(entry: FullAuditEntry): Record<string, unknown> {
  const event = JSON.parse(JSON.stringify(toOcsf(entry, '1.0.0'))) as Record<string, unknown>;
  const classUid = event['class_uid'] as keyof typeof activities;
  const missing = [...required.all, ...required.metadata, ...required[classUid]].filter(
    (path) => pick(event, path) === undefined,
  );
  expect(missing, entry.action).toEqual([]);
  for (const [path, names] of Object.entries(oneOf)) {
    const part = pick(event, path);
    if (part !== undefined)
      expect(
        names.filter((name) => pick(part, name) !== undefined),
        path,
      ).not.toEqual([]);
  }
  expect(activities[classUid]).toContain(event['activity_id']);
  expect(event['type_uid']).toBe(classUid * 100 + (event['activity_id'] as number));
  expect(event['category_uid']).toBe(Math.floor(classUid / 1000));
  expect(Number.isSafeInteger(event['time'])).toBe(true);
  expect(event['activity_name'] === undefined).toBe(event['activity_id'] !== 99);
  expect(severities).toContain(event['severity_id']);
  for (const path of ['user', 'actor.user']) {
    const user = pick(event, path);
    if (user !== undefined) expect(userTypes).toContain(pick(user, 'type_id'));
  }
  expect(Object.keys(event).filter((name) => !attributes.includes(name))).toEqual([]);
  return event;
}

const authors: readonly FullAuditEntry['author'][] = [
  { kind: 'person', id: 'p', name: 'eva@example.org', address: '192.0.2.7' },
  { kind: 'key', id: 'k', name: 'orders@example.org', address: '2001:db8::1' },
  { kind: 'link', id: 'd:0', name: 'receiver', address: '192.0.2.8' },
  { kind: 'command', id: 'root', name: 'admin', address: '' },
  { kind: 'system', id: 'sweep', name: 'sweep', address: '' },
];

const everyKindOfDetails = [{}, { personId: 'x' }, { email: 'a@example.org' }, { dropId: 'd' }];

/** The same event type and severity, whoever made the change and whatever it is about. */
function findType(action: string): string {
  const types = authors.flatMap((author) =>
    everyKindOfDetails.map((details) => {
      const event = expectValid(makeAuditEntry({ action, author, details, account: null }));
      return `${String(event['type_uid'])} ${String(event['severity_id'])}`;
    }),
  );
  expect(new Set(types).size).toBe(1);
  return types[0] ?? '';
}

test('every action is a valid event, whoever made the change', () => {
  for (const action of Object.keys(auditActions)) {
    for (const author of authors) expectValid(makeAuditEntry({ action, author }));
  }
});

test.each([
  ['person.signed_in', '300201 1'],
  ['person.signed_out', '300202 1'],
  ['person.sign_in_failed', '300201 3'],
  ['account.created', '300101 2'],
  ['account.deleted', '300106 2'],
  ['passkey.removed', '300111 2'],
  ['key.revoked', '300199 2'],
  ['drop.created', '300401 1'],
  ['drop.downloaded', '300402 1'],
  ['inbox.downloaded', '300402 1'],
  ['drop.extended', '300403 1'],
  ['drop.revoked', '300404 1'],
  ['something.never_seen', '300403 1'],
  ['', '300403 1'],
])('%s has the type and severity %s', (action, type) => {
  expect(findType(action)).toBe(type);
});

test('an event has everything that is known about the change', () => {
  const entry = makeAuditEntry({ addresses: ['a@example.org'], before: { days: 1 }, after: { days: 2 } });
  expect(expectValid(entry)).toEqual({
    category_uid: 3,
    class_uid: 3004,
    activity_id: 3,
    type_uid: 300_403,
    severity_id: 1,
    status_id: 1,
    time: 1_794_992_400_123,
    message: 'drop.extended',
    metadata: {
      version: '1.3.0',
      product: { name: 'Waybill', vendor_name: 'Waybill', version: '1.0.0' },
      profiles: ['host'],
      uid: entry.id,
      event_code: 'drop.extended',
      log_name: 'audit',
      original_time: '2026-11-18T09:00:00.123Z',
      tenant_uid: entry.accountId,
    },
    actor: {
      app_name: 'waybilld',
      user: { uid: entry.author.id, name: 'eva@example.org', email_addr: 'eva@example.org', type_id: 1 },
    },
    src_endpoint: { ip: '192.0.2.7' },
    entity: { type: 'drop', uid: '01a1dca1-0000-7000-8000-000000000003' },
    unmapped: toAuditJson(entry),
  });
});
