import type { FullAuditEntry } from './audit-store.ts';

/** Of the schema, not of this program: https://schema.ocsf.io/1.3.0. */
const schemaVersion = '1.3.0';
const classes = { accountChange: 3001, authentication: 3002, entityManagement: 3004 } as const;
const severity = { informational: 1, low: 2, medium: 3 } as const;
const other = 99;

/** The activities of "Account Change" that the schema has a number for. */
const accountActivities: Readonly<Record<string, number>> = {
  'account.created': 1,
  'account.enabled': 2,
  'account.disabled': 5,
  'account.deleted': 6,
  'person.invited': 1,
  'person.enabled': 2,
  'person.disabled': 5,
  'person.recovered': 4,
  'password.set': 3,
  'passkey.added': 10,
  'passkey.removed': 11,
  'authenticator_app.added': 10,
  'authenticator_app.removed': 11,
};
/** All changes of these are changes of an account: who may sign in, how, and with which rights. */
const accountSubjects = new Set([
  'account',
  'person',
  'member',
  'key',
  'password',
  'passkey',
  'identity',
  'authenticator_app',
]);
const signIns: Readonly<Record<string, 'success' | 'failure'>> = {
  'person.signed_in': 'success',
  'person.link_opened': 'success',
  'person.sign_in_failed': 'failure',
  'person.sign_in_limited': 'failure',
};
const entityActivities = { create: 1, read: 2, update: 3, delete: 4 } as const;
const entityVerbs: Readonly<Record<string, keyof typeof entityActivities>> = {
  created: 'create',
  added: 'create',
  imported: 'create',
  placed: 'create',
  received: 'create',
  receiver_added: 'create',
  uploaded: 'create',
  asked: 'create',
  downloaded: 'read',
  shown: 'read',
  removed: 'delete',
  deleted: 'delete',
  revoked: 'delete',
  released: 'delete',
};

/**
 * An audit entry as an event of OCSF: a sign-in, a change of an account, or else a change of an entity. Everything that
 * the schema has no place for is under `unmapped`.
 */
export function toOcsf(entry: FullAuditEntry, version: string): Record<string, unknown> {
  const { id, at, accountId, account, author, action, addresses, details, before, after, position } = entry;
  const { classUid, activityId, ...rest } = classify(entry);
  return {
    category_uid: 3,
    class_uid: classUid,
    activity_id: activityId,
    activity_name: activityId === other ? action : undefined,
    type_uid: classUid * 100 + activityId,
    severity_id: severity.informational,
    status_id: 1,
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
    ...rest,
    unmapped: {
      account: account ?? undefined,
      author_kind: author.kind,
      position: `${position.epoch}/${position.transactionId}/${position.sequence}`,
      addresses: addresses.length === 0 ? undefined : addresses,
      details,
      before: before ?? undefined,
      after: after ?? undefined,
    },
  };
}

interface Classified {
  readonly classUid: number;
  readonly activityId: number;
  readonly [attribute: string]: unknown;
}

function classify(entry: FullAuditEntry): Classified {
  const { action, accountId, details } = entry;
  const [subject = '', verb = ''] = action.split('.');
  const outcome = signIns[action];
  if (outcome !== undefined) {
    const isSuccess = outcome === 'success';
    return {
      classUid: classes.authentication,
      activityId: 1,
      user: findUser(entry),
      service: { name: 'Waybill' },
      is_remote: true,
      ...(!isSuccess && { status_id: 2, severity_id: severity.medium }),
    };
  }
  if (accountSubjects.has(subject)) {
    return {
      classUid: classes.accountChange,
      activityId: accountActivities[action] ?? other,
      user: findUser(entry),
      severity_id: severity.low,
    };
  }
  const uid = [details[`${subject}Id`], details['dropId'], accountId].find((id) => typeof id === 'string');
  return {
    classUid: classes.entityManagement,
    activityId: entityActivities[entityVerbs[verb] ?? 'update'],
    entity: { type: subject, uid },
  };
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
    key: { name, email_addr: name, credential_uid: id, type_id: 4 },
    link: { uid: id, name, type_id: other, type: 'Receiver' },
    command: { name: id, type_id: 2 },
    system: { name: id, type_id: 3 },
  };
  return { app_name: 'waybilld', user: users[kind] };
}
