import type { FullAuditEntry } from '../domain/audit/audit-store.ts';
import { readDropId, toAuditJson } from '../domain/audit/to-audit-json.ts';
import { toReference } from '../domain/reference.ts';
import { toJsonText } from './json-text.ts';

export const csvColumns = [
  'at',
  'id',
  'account',
  'account_id',
  'actor_kind',
  'actor_id',
  'actor_name',
  'actor_address',
  'action',
  'reference',
  'addresses',
  'details',
  'before',
  'after',
] as const;

export function toCsvRow(entry: FullAuditEntry): string[] {
  const { at, id, account, account_id, actor, action, reference, addresses, details, before, after } =
    toAuditJson(entry);
  const write = (values: unknown) => (values === null ? '' : toJsonText(values));
  return [
    at,
    id,
    account ?? '',
    account_id,
    actor.kind,
    actor.id,
    actor.name,
    actor.address,
    action,
    reference ?? '',
    addresses.join(' '),
    write(details),
    write(before),
    write(after),
  ];
}

/** An entry for a person, in one line. */
export function describeEntry(entry: FullAuditEntry): string {
  const { at, account, author, action, addresses, before, after } = entry;
  const { dropId: _, ...details } = entry.details;
  const dropId = readDropId(entry);
  return [
    at.toISOString(),
    action,
    `by ${author.kind} ${author.id}${author.name === author.id ? '' : ` (${toPlain(author.name)})`}`,
    ...(author.address === '' ? [] : [`from ${author.address}`]),
    ...(account === null ? [] : [`account ${account}`]),
    ...(dropId === undefined ? [] : [toReference(dropId)]),
    ...addresses,
    ...(Object.keys(details).length === 0 ? [] : [toJsonText(details)]),
    ...(before === null && after === null ? [] : [`${toJsonText(before)} → ${toJsonText(after)}`]),
  ].join('  ');
}

/** Without what would control a terminal. */
function toPlain(text: string): string {
  return toJsonText(text).slice(1, -1);
}
