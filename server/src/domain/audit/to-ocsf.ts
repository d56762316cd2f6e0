import type { FullAuditEntry } from './audit-store.ts';
import { findOcsfMapping, type OcsfMapping, ocsfClasses, otherActivity } from './ocsf-mappings.ts';
import { toAuditJson } from './to-audit-json.ts';

/** Of the schema, not of this program: https://schema.ocsf.io/1.3.0. */
const schemaVersion = '1.3.0';
const otherType = 99;

/**
 * An audit entry as an event of OCSF: a sign-in, a change of an account, or else a change of an entity. The entry as it
 * is exported is under `unmapped`, because the schema has no place for much of it.
 */
export function toOcsf(entry: FullAuditEntry, version: string): Record<string, unknown> {
  const { id, at, accountId, author, action } = entry;
  const mapping = findOcsfMapping(action);
  const { classUid, activityId, severityId, statusId } = mapping;
  return {
    category_uid: 3,
    class_uid: classUid,
    activity_id: activityId,
    activity_name: activityId === otherActivity ? action : undefined,
    type_uid: classUid * 100 + activityId,
    severity_id: severityId,
    status_id: statusId,
    time: at.getTime(),
    message: action,
    metadata: {
      version: schemaVersion,
      product: { name: 'Waybill', vendor_name: 'Waybill', version },
      profiles: ['host'],
      uid: id,
      event_code: action,
      log_name: 'audit',
      original_time: at.toISOString(),
      tenant_uid: accountId,
    },
    actor: toActor(author),
    src_endpoint: author.address === '' ? undefined : { ip: author.address },
    ...describeSubject(entry, mapping),
    unmapped: toAuditJson(entry),
  };
}

/** The attributes that only one class has. */
function describeSubject(entry: FullAuditEntry, { classUid }: OcsfMapping): Record<string, unknown> {
  if (classUid === ocsfClasses.authentication) {
    return { user: findUser(entry), service: { name: 'Waybill' }, is_remote: true };
  }
  if (classUid === ocsfClasses.accountChange) return { user: findUser(entry) };
  const { action, accountId, details } = entry;
  const [subject = ''] = action.split('.');
  const uid = [details[`${subject}Id`], details['dropId'], accountId].find((id) => typeof id === 'string');
  return { entity: { type: subject, uid } };
}

/** The person or the account that the change is about. */
function findUser({ accountId, account, author, action, details }: FullAuditEntry) {
  const { personId, email } = details;
  if (typeof personId === 'string') return { uid: personId, type_id: 1 };
  if (typeof email === 'string') return { name: email, email_addr: email, type_id: 1 };
  const isOfAccount = /^(?:account|key|member)\./.test(action);
  if (author.kind === 'person' && !isOfAccount) return toActor(author).user;
  return { uid: accountId, name: account ?? undefined, type_id: 0 };
}

function toActor({ kind, id, name }: FullAuditEntry['author']) {
  const users = {
    person: { uid: id, name, email_addr: name, type_id: 1 },
    key: { name, email_addr: name, credential_uid: id, type_id: otherType, type: 'API key' },
    link: { uid: id, name, type_id: otherType, type: 'Receiver' },
    command: { name: id, type_id: 2 },
    system: { name: id, type_id: 3 },
  };
  return { app_name: 'waybilld', user: users[kind] };
}
