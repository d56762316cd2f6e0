import type { AuditAction } from './actions.ts';

export const ocsfClasses = { accountChange: 3001, authentication: 3002, entityManagement: 3004 } as const;
const severity = { informational: 1, low: 2, medium: 3 } as const;
const status = { success: 1, failure: 2 } as const;
/** An activity that the schema has no number for. */
export const otherActivity = 99;

/** How the schema describes an action. */
export interface OcsfMapping {
  readonly classUid: (typeof ocsfClasses)[keyof typeof ocsfClasses];
  readonly activityId: number;
  readonly severityId: number;
  readonly statusId: number;
}

/** The activities of "Account Change" that the schema has a number for. */
const accountActivities = {
  create: 1,
  enable: 2,
  changePassword: 3,
  resetPassword: 4,
  disable: 5,
  delete: 6,
  enableFactor: 10,
  disableFactor: 11,
} as const;

const authenticate = (activityId: number, statusId: number, severityId: number): OcsfMapping => ({
  classUid: ocsfClasses.authentication,
  activityId,
  severityId,
  statusId,
});
/** People who may sign in, their methods and their rights. */
const changeAccount = (activity?: keyof typeof accountActivities): OcsfMapping => ({
  classUid: ocsfClasses.accountChange,
  activityId: activity === undefined ? otherActivity : accountActivities[activity],
  severityId: severity.low,
  statusId: status.success,
});
const manageEntity = (activityId: number): OcsfMapping => ({
  classUid: ocsfClasses.entityManagement,
  activityId,
  severityId: severity.informational,
  statusId: status.success,
});

const signedIn = authenticate(1, status.success, severity.informational);
const failedToSignIn = authenticate(1, status.failure, severity.medium);
const signedOut = authenticate(2, status.success, severity.informational);
const created = manageEntity(1);
const read = manageEntity(2);
const updated = manageEntity(3);
const deleted = manageEntity(4);

const mappings: Readonly<Record<AuditAction, OcsfMapping>> = {
  'account.changed': changeAccount(),
  'account.created': changeAccount('create'),
  'account.deleted': changeAccount('delete'),
  'account.deletion_requested': changeAccount(),
  'account.disabled': changeAccount('disable'),
  'account.enabled': changeAccount('enable'),
  'audit.skipped': updated,
  'authenticator_app.added': changeAccount('enableFactor'),
  'authenticator_app.removed': changeAccount('disableFactor'),
  'backup.made': created,
  'backup.restored': updated,
  'backups.deleted': deleted,
  'contact.changed': updated,
  'contact.created': created,
  'contact.deleted': deleted,
  'contacts.deleted': deleted,
  'contacts.grouped': updated,
  'contacts.imported': created,
  'contacts.replaced': updated,
  'day_keys.exported': read,
  'day_keys.imported': created,
  'drop.created': created,
  'drop.downloaded': read,
  'drop.extended': updated,
  'drop.receiver_added': updated,
  'drop.receiver_corrected': updated,
  'drop.reminded': updated,
  'drop.resent': updated,
  'drop.restored': updated,
  'drop.revoked': deleted,
  'evidence.erased': deleted,
  'file.deleted': deleted,
  'file.uploaded': created,
  'files.received': created,
  'global_contacts.replaced': updated,
  'group.changed': updated,
  'group.created': created,
  'group.deleted': deleted,
  'hold.placed': created,
  'hold.released': deleted,
  'identity.added': changeAccount(),
  'identity.removed': changeAccount(),
  'inbox.done': updated,
  'inbox.downloaded': read,
  'inbox.released': updated,
  'inbox.reopened': updated,
  'key.created': changeAccount(),
  'key.revoked': changeAccount(),
  'link.asked': updated,
  'link.code_entered': updated,
  'link.created': created,
  'link.opened': updated,
  'link.passphrase_entered': updated,
  'link.passphrase_failed': updated,
  'link.revoked': deleted,
  'link.shown': read,
  'log.key_added': updated,
  'log.key_retired': updated,
  'log.started': created,
  'mail.resumed': updated,
  'mail.stopped': updated,
  'master_key.rotated': updated,
  'member.removed': changeAccount(),
  'member.set': changeAccount(),
  'message.retried': updated,
  'messages.retried': updated,
  'notifications.changed': updated,
  'passkey.added': changeAccount('enableFactor'),
  'passkey.removed': changeAccount('disableFactor'),
  'passkey.renamed': changeAccount(),
  'password.removed': changeAccount(),
  'password.set': changeAccount('changePassword'),
  'person.changed': changeAccount(),
  'person.deleted': changeAccount('delete'),
  'person.disabled': changeAccount('disable'),
  'person.enabled': changeAccount('enable'),
  'person.invited': changeAccount('create'),
  'person.link_opened': signedIn,
  'person.made_administrator': changeAccount(),
  'person.recovered': changeAccount('resetPassword'),
  'person.sign_in_failed': failedToSignIn,
  'person.sign_in_limited': failedToSignIn,
  'person.signed_in': signedIn,
  'person.signed_out': signedOut,
  'public_page.changed': updated,
  'public_page.link_sent': updated,
  'receiver.undeliverable': updated,
  'receivers.set': updated,
  'recovery_codes.renewed': changeAccount(),
  'request.created': created,
  'schema.migrated': updated,
  'sender.blocked': updated,
  'sender.reported': updated,
  'sender.unblocked': updated,
  'session.ended': signedOut,
  'sessions.ended': signedOut,
  'usage.corrected': updated,
  'webhook.changed': updated,
  'webhook.created': created,
  'webhook.disabled': updated,
  'webhook.enabled': updated,
  'webhook.deleted': deleted,
  'webhook.replayed': updated,
  'webhook.secret_replaced': updated,
  'webhook.tested': updated,
};

/** Another version of this program may have written an action that this one does not know. */
export function findOcsfMapping(action: string): OcsfMapping {
  return (mappings as Readonly<Record<string, OcsfMapping | undefined>>)[action] ?? updated;
}
