import type { AuditAction } from '../src/domain/audit/actions.ts';
import type { Author, NewAuditEntry } from '../src/domain/audit/audit-store.ts';
import type { Authentication } from '../src/http/shared/app.ts';

/**
 * The entries that an operation writes into the audit. An operation that changes something writes exactly one entry, with one of the
 * actions; none if what it is asked for is so already.
 */
export type Audited =
  | AuditAction
  | { readonly oneOf: readonly AuditAction[] }
  /** One entry for each thing that it changes, because each belongs to another account or file. */
  | { readonly eachOf: readonly AuditAction[] }
  | { readonly nothing: string };

const reads = { nothing: 'It only reads.' } as const;
/** Bytes arrive; the file is recorded when it is complete, by the request with its last byte or by a job that checks it. */
const transfers = { oneOf: ['file.uploaded'] } as const;
const leases = { nothing: 'A lease that ends by itself; the decision about the entry is recorded.' } as const;
const deliveries = { nothing: 'Each range that is sent is in the deliveries.' } as const;
const asks = { nothing: 'It only asks for a challenge or a page.' } as const;
const checkedLater = { nothing: 'A job checks the file when its last byte has arrived, and records it.' } as const;
const sessions = {
  nothing: 'A session of a link, which holds nothing but the opening that was recorded.',
} as const;

/** Every route that may change something, by method and path. Routes that are not here only read. */
export const routes: Readonly<Record<string, Audited>> = {
  'POST /doctor': { nothing: 'The operator’s own check.' },

  // The machine API
  'GET /:user/cgi/get_files.cgi': { nothing: 'It opens the file list of a draft.' },
  'GET /:user/cgi/remove_file.cgi': 'file.deleted',
  'POST /:user/cgi/contacts_add.cgi': 'contacts.replaced',
  'POST /:user/cgi/createdrop.cgi': 'drop.created',
  'POST /:user/cgi/givedrop.cgi': 'request.created',
  'POST /:user/cgi/receivers_set.cgi': 'receivers.set',
  'POST /:user/cgi/upload.cgi': { eachOf: ['file.uploaded'] },

  // /api/v1
  'DELETE /api/v1/contacts/:email': 'contact.deleted',
  'DELETE /api/v1/keys/:id': 'key.revoked',
  'DELETE /api/v1/link/uploads/:id': 'file.deleted',
  'DELETE /api/v1/uploads/:id': 'file.deleted',
  'DELETE /api/v1/webhooks/:id': 'webhook.deleted',
  'GET /api/v1/drops/:id/all.zip': 'drop.downloaded',
  'GET /api/v1/drops/:id/files/:file_id': 'drop.downloaded',
  'PATCH /api/v1/uploads/:id': transfers,
  'PATCH /api/v1/webhooks/:id': 'webhook.changed',
  'POST /api/v1/contacts/import': 'contacts.imported',
  'POST /api/v1/contacts/import/check': reads,
  'POST /api/v1/drops': { eachOf: ['drop.created', 'link.created'] },
  'POST /api/v1/drops/check': reads,
  'POST /api/v1/drops/:id/extend': 'drop.extended',
  'POST /api/v1/drops/:id/receivers': 'drop.receiver_added',
  'POST /api/v1/drops/:id/receivers/:receiver_id/resend': 'drop.resent',
  'POST /api/v1/drops/:id/shared-links': 'link.created',
  'POST /api/v1/drops/:id/shared-links/:link_id/revoke': 'link.revoked',
  'POST /api/v1/drops/:id/remind': 'drop.reminded',
  'POST /api/v1/drops/:id/receivers/:receiver_id/revoke': 'link.revoked',
  'POST /api/v1/drops/:id/revoke': 'drop.revoked',
  'POST /api/v1/inbox/:id/ack': 'inbox.done',
  'POST /api/v1/inbox/:id/nack': leases,
  'POST /api/v1/inbox/:id/release': 'inbox.released',
  'POST /api/v1/inbox/:id/renew': leases,
  'POST /api/v1/inbox/claim': leases,
  'POST /api/v1/keys': { eachOf: ['account.created', 'key.created'] },
  'PATCH /api/v1/link/uploads/:id': checkedLater,
  'POST /api/v1/link/close': sessions,
  'POST /api/v1/link/code': { eachOf: ['link.opened', 'link.code_entered'] },
  'POST /api/v1/link/code/send': { nothing: 'The code that was sent already is sent again.' },
  'POST /api/v1/link/open': 'link.opened',
  'POST /api/v1/link/passphrase': { oneOf: ['link.passphrase_entered', 'link.passphrase_failed'] },
  'POST /api/v1/link/receiver': { nothing: 'What the code opens is recorded.' },
  'POST /api/v1/link/send': 'files.received',
  'POST /api/v1/link/uploads': checkedLater,
  'POST /api/v1/requests': 'request.created',
  'POST /api/v1/requests/check': reads,
  'POST /api/v1/requests/:id/extend': 'drop.extended',
  'POST /api/v1/requests/:id/receivers': 'drop.receiver_added',
  'POST /api/v1/requests/:id/receivers/:receiver_id/resend': 'drop.resent',
  'POST /api/v1/requests/:id/remind': 'drop.reminded',
  'POST /api/v1/requests/:id/receivers/:receiver_id/revoke': 'link.revoked',
  'POST /api/v1/requests/:id/revoke': 'drop.revoked',
  'POST /api/v1/uploads': transfers,
  'POST /api/v1/webhooks': 'webhook.created',
  'POST /api/v1/webhooks/:id/disable': 'webhook.disabled',
  'POST /api/v1/webhooks/:id/enable': 'webhook.enabled',
  'POST /api/v1/webhooks/:id/replace_secret': 'webhook.secret_replaced',
  'POST /api/v1/webhooks/:id/replay': 'webhook.replayed',
  'POST /api/v1/webhooks/:id/test': 'webhook.tested',
  'PUT /api/v1/contacts/:email': { oneOf: ['contact.created', 'contact.changed'] },

  // The pages of receivers and contacts
  'POST /open-link': { nothing: 'It leads to the page of a link.' },
  'GET /download/:handle/done': sessions,
  'GET /upload/:handle/done': sessions,
  'GET,HEAD /download/:handle/all.zip': deliveries,
  'GET,HEAD /download/:handle/folders/:folder': deliveries,
  'GET,HEAD /download/:handle/files/:file/:name': deliveries,
  'HEAD,PATCH,DELETE /upload/:handle/tus/:id': 'file.deleted',
  'POST /d/:token': 'link.opened',
  'POST /d/:token/ask': 'link.asked',
  'POST /download/:handle/ask': 'link.asked',
  'POST /download/:handle/code': { eachOf: ['link.opened', 'link.code_entered'] },
  'POST /download/:handle/done': sessions,
  'POST /download/:handle/passphrase': { oneOf: ['link.passphrase_entered', 'link.passphrase_failed'] },
  'POST /download/:handle/which': { nothing: 'What the code opens is recorded.' },
  'POST /download/:handle/resend': { nothing: 'The code that was sent already is sent again.' },
  'POST /m/:token': 'mail.stopped',
  'POST /m/:token/report': 'sender.reported',
  'POST /m/:token/resume': 'mail.resumed',
  'POST /m/:token/stop': 'mail.stopped',
  'POST /to/:name': { nothing: 'A job sends the link, and records it.' },
  'POST /u/:token': 'link.opened',
  'POST /u/:token/ask': 'link.asked',
  'POST /upload/:handle/': { eachOf: ['file.uploaded', 'files.received'] },
  'POST /upload/:handle/ask': 'link.asked',
  'POST /upload/:handle/code': 'link.code_entered',
  'POST /upload/:handle/done': sessions,
  'POST /upload/:handle/passphrase': { oneOf: ['link.passphrase_entered', 'link.passphrase_failed'] },
  'POST /upload/:handle/which': { nothing: 'There is no such link of a request.' },
  'POST /upload/:handle/resend': { nothing: 'The code that was sent already is sent again.' },
  'POST /upload/:handle/send': 'files.received',
  'POST,OPTIONS /upload/:handle/tus': checkedLater,

  // Signing in
  'GET /sign-in/provider/:provider/callback': {
    eachOf: ['person.invited', 'identity.added', 'person.signed_in', 'member.set', 'member.removed'],
  },
  'POST /sign-in/provider/:provider/confirm': { eachOf: ['identity.added', 'member.set', 'member.removed'] },
  'POST /sign-in/provider/:provider/link': asks,
  'POST /sign-in': { oneOf: ['person.signed_in', 'person.sign_in_failed', 'person.sign_in_limited'] },
  'POST /sign-in/code': { oneOf: ['person.signed_in', 'person.sign_in_failed', 'person.sign_in_limited'] },
  'POST /sign-in/enrolment/passkey': 'passkey.added',
  'POST /sign-in/enrolment/passkey/options': asks,
  'POST /sign-in/enrolment/password': 'password.set',
  'POST /sign-in/link/:token': 'person.link_opened',
  'POST /sign-in/passkey': { oneOf: ['person.signed_in', 'person.sign_in_failed', 'person.sign_in_limited'] },
  'POST /sign-in/passkey/options': asks,
  'POST /sign-in/provider/:provider/logout': 'sessions.ended',
  'POST /sign-in/recover': { nothing: 'A job makes the link, and records it.' },
  'POST /sign-out': 'person.signed_out',

  // The app
  'DELETE /:user/uploads/:id': 'file.deleted',
  'GET /:user/inbox/:id': { nothing: 'That a member has opened the entry is shown with it.' },
  'GET /:user/inbox/:id/all.zip': 'inbox.downloaded',
  'GET /:user/inbox/:id/folders/:folder': 'inbox.downloaded',
  'GET /:user/inbox/:id/files.zip': 'inbox.downloaded',
  'GET /:user/inbox/:id/files/:file': 'inbox.downloaded',
  'GET /:user/sent/:id/all.zip': 'drop.downloaded',
  'GET /:user/sent/:id/files/:file': 'drop.downloaded',
  'GET /:user/settings/authenticator': { nothing: 'A secret that is used only once it was confirmed.' },
  'PATCH /:user/uploads/:id': transfers,
  'POST /:user/contacts': 'contact.created',
  'POST /:user/contacts/:email': { oneOf: ['contact.created', 'contact.changed'] },
  'POST /:user/contacts/:email/remove': 'contact.deleted',
  'POST /:user/contacts/ask': asks,
  'POST /:user/contacts/group': 'contacts.grouped',
  'POST /:user/contacts/import': 'contacts.imported',
  'POST /:user/contacts/import/preview': reads,
  'POST /:user/contacts/remove': 'contacts.deleted',
  'POST /:user/contacts/send': asks,
  'POST /:user/inbox/:id/block': 'sender.blocked',
  'POST /:user/inbox/:id/done': 'inbox.done',
  'POST /:user/inbox/:id/release': 'inbox.released',
  'POST /:user/inbox/:id/reopen': 'inbox.reopened',
  'POST /:user/receivers': reads,
  'POST /:user/requests/:id/extend': 'drop.extended',
  'POST /:user/requests/:id/link': 'link.shown',
  'POST /:user/requests/:id/receivers': 'drop.receiver_added',
  'POST /:user/requests/:id/receivers/:position/correct': 'drop.receiver_corrected',
  'POST /:user/requests/:id/receivers/:position/resend': 'drop.resent',
  'POST /:user/requests/:id/remind': 'drop.reminded',
  'POST /:user/requests/:id/resend': 'drop.resent',
  'POST /:user/requests/:id/restore': 'drop.restored',
  'POST /:user/requests/:id/revoke': { oneOf: ['drop.revoked', 'link.revoked'] },
  'POST /:user/requests/extend': { eachOf: ['drop.extended'] },
  'POST /:user/requests/new': 'request.created',
  'POST /:user/requests/remind': { eachOf: ['drop.reminded'] },
  'POST /:user/requests/restore': { eachOf: ['drop.restored'] },
  'POST /:user/requests/revoke': { eachOf: ['drop.revoked'] },
  // Without a script, the files come with the form.
  'POST /:user/send': { eachOf: ['file.uploaded', 'file.deleted', 'drop.created', 'link.created'] },
  'POST /:user/sent/:id/extend': 'drop.extended',
  'POST /:user/sent/:id/link': 'link.shown',
  'POST /:user/sent/:id/shared-link': 'link.created',
  'POST /:user/welcome/sample': { eachOf: ['file.uploaded', 'file.deleted', 'drop.created'] },
  'POST /:user/sent/:id/receivers': 'drop.receiver_added',
  'POST /:user/sent/:id/receivers/:position/correct': 'drop.receiver_corrected',
  'POST /:user/sent/:id/receivers/:position/resend': 'drop.resent',
  'POST /:user/sent/:id/remind': 'drop.reminded',
  'POST /:user/sent/:id/resend': 'drop.resent',
  'POST /:user/sent/:id/restore': 'drop.restored',
  'POST /:user/sent/:id/revoke': { oneOf: ['drop.revoked', 'link.revoked'] },
  'POST /:user/sent/extend': { eachOf: ['drop.extended'] },
  'POST /:user/sent/remind': { eachOf: ['drop.reminded'] },
  'POST /:user/sent/restore': { eachOf: ['drop.restored'] },
  'POST /:user/sent/revoke': { eachOf: ['drop.revoked'] },
  'POST /:user/settings/account/choices': 'account.changed',
  'POST /:user/settings/account/public-page': 'public_page.changed',
  'POST /:user/settings/account/public-page/unblock': 'sender.unblocked',
  'POST /:user/settings/authenticator': 'authenticator_app.added',
  'POST /:user/settings/authenticator/begin': { nothing: 'The app is recorded with its first code.' },
  'POST /:user/settings/authenticator/remove': 'authenticator_app.removed',
  'POST /:user/settings/keys': 'key.created',
  'POST /:user/settings/keys/revoke': 'key.revoked',
  'POST /:user/settings/members/invitation': 'person.invited',
  'POST /:user/settings/members/invitation/revoke': 'member.removed',
  'POST /:user/settings/members/remove': 'member.removed',
  'POST /:user/settings/members/role': 'member.set',
  'POST /:user/settings/notifications': 'notifications.changed',
  'POST /:user/settings/passkeys': 'passkey.added',
  'POST /:user/settings/passkeys/options': asks,
  'POST /:user/settings/passkeys/remove': 'passkey.removed',
  'POST /:user/settings/passkeys/rename': 'passkey.renamed',
  'POST /:user/settings/password': { oneOf: ['password.set', 'person.sign_in_failed', 'person.sign_in_limited'] },
  'POST /:user/settings/password/remove': 'password.removed',
  'POST /:user/settings/profile': 'person.changed',
  'POST /:user/settings/providers/unlink': 'identity.removed',
  'POST /:user/settings/recovery-codes': 'recovery_codes.renewed',
  'POST /:user/settings/sessions/end': 'session.ended',
  'POST /:user/settings/sessions/end-others': 'sessions.ended',
  'POST /:user/settings/shortcuts': 'person.changed',
  'POST /:user/settings/webhooks': 'webhook.created',
  'POST /:user/settings/webhooks/change': 'webhook.changed',
  'POST /:user/settings/webhooks/disable': 'webhook.disabled',
  'POST /:user/settings/webhooks/enable': 'webhook.enabled',
  'POST /:user/settings/webhooks/remove': 'webhook.deleted',
  'POST /:user/settings/webhooks/replay': 'webhook.replayed',
  'POST /:user/settings/webhooks/secret': 'webhook.secret_replaced',
  'POST /:user/settings/webhooks/test': 'webhook.tested',
  'POST /:user/uploads': transfers,
  'POST /share': { eachOf: ['file.uploaded'] },
};

/** Every command of `waybilld admin`. Each also records the migrations that it finds necessary when it starts. */
export const commands: Readonly<Record<string, Audited>> = {
  'accounts create': 'account.created',
  'accounts delete': 'account.deletion_requested',
  'accounts disable': 'account.disabled',
  'accounts enable': 'account.enabled',
  'accounts list': reads,
  'accounts set': { eachOf: ['account.changed'] },
  'accounts show': reads,
  // With --recount, it corrects sums.
  'accounts usage': { eachOf: ['usage.corrected'] },
  'api-keys create': { eachOf: ['account.created', 'key.created'] },
  'api-keys list': reads,
  'api-keys revoke': 'key.revoked',
  'audit export': reads,
  'audit follow': reads,
  'audit list': reads,
  'audit skip': 'audit.skipped',
  'audit targets': reads,
  'backup make': { eachOf: ['backup.made', 'day_keys.exported', 'backups.deleted'] },
  'backup verify': reads,
  'bucket create': { nothing: 'It may come before the database.' },
  'contacts list': reads,
  'contacts set': 'global_contacts.replaced',
  'day-keys export': 'day_keys.exported',
  'day-keys import': 'day_keys.imported',
  doctor: reads,
  'drops extend': 'drop.extended',
  'drops find': reads,
  'drops list': reads,
  'drops revoke': 'drop.revoked',
  'drops show': reads,
  'evidence erase': 'evidence.erased',
  'groups create': 'group.created',
  'groups list': reads,
  'groups remove': 'group.deleted',
  'groups set': 'group.changed',
  'groups show': reads,
  'holds list': reads,
  'holds place': 'hold.placed',
  'holds release': 'hold.released',
  'log check': reads,
  'log retire-key': 'log.key_retired',
  'log rotate-key': 'log.key_added',
  'log start-epoch': 'log.started',
  'log status': reads,
  'mail bounce': 'receiver.undeliverable',
  'mail stopped list': reads,
  'mail stopped remove': 'mail.resumed',
  'mail test': { nothing: 'It sends a mail of its own.' },
  'master-keys rotate': 'master_key.rotated',
  'master-keys status': reads,
  'members list': reads,
  'members remove': 'member.removed',
  'members set': 'member.set',
  migrate: 'schema.migrated',
  'outbox list': reads,
  'outbox retry': { eachOf: ['message.retried', 'messages.retried'] },
  'people delete': { eachOf: ['member.removed', 'person.deleted'] },
  'people disable': 'person.disabled',
  'people enable': 'person.enabled',
  'people invite': { oneOf: ['person.invited', 'person.made_administrator'] },
  'people list': reads,
  'people recover': 'person.recovered',
  restore: { eachOf: ['log.started', 'backup.restored'] },
  scrub: reads,
  sweep: { eachOf: ['account.deleted', 'drop.revoked', 'person.deleted'] },
};

/** Every job of `work`, and everything that it does again and again. */
export const jobs: Readonly<Record<string, Audited>> = {
  'check-upload': 'file.uploaded',
  cosign: { nothing: 'It collects the signatures of others on what was recorded.' },
  'deliver-events': { oneOf: ['webhook.disabled'] },
  'forward-audit': { nothing: 'It sends what is recorded.' },
  'read-bounces': { eachOf: ['receiver.undeliverable'] },
  'recover-person': 'person.recovered',
  scrub: reads,
  'send-message': { oneOf: ['receiver.undeliverable'] },
  'send-person-link': { nothing: 'It mails a link whose making was recorded.' },
  'send-public-link': 'public_page.link_sent',
  'send-sign-in-notice': { nothing: 'It mails about a sign-in that was recorded.' },
  sequence: { oneOf: ['log.started'] },
  stamp: { nothing: 'It collects time stamps of what was recorded.' },
  sweep: { eachOf: ['account.deleted', 'drop.revoked'] },
  'tell-of-parked-entries': { nothing: 'It mails about entries that programs failed on.' },
  'tell-owner-of-webhook': { nothing: 'It mails about a webhook whose end was recorded.' },
};

type AuthorKinds = readonly Author['kind'][];

/** The kinds of authors that may come through a door. The server itself records that someone has failed to sign in. */
const requestAuthors: Readonly<Record<Authentication, AuthorKinds>> = {
  account: ['key'],
  'account+csrf': ['key'],
  key: ['key'],
  link: ['link'],
  'code-pending': ['link'],
  'link-session': ['link'],
  'link-program': ['link'],
  'link-program-pending': ['link'],
  session: ['person', 'system'],
  member: ['person', 'system'],
  nobody: ['person', 'system'],
  operator: [],
};
/** The author of a file is whoever has uploaded it, however much later it is checked. */
const jobAuthors: Readonly<Record<string, AuthorKinds>> = { 'check-upload': ['key', 'person', 'link'] };
/** Some commands only begin what `work` does, or are run by the mail server. */
const commandAuthors: Readonly<Record<string, AuthorKinds>> = { sweep: ['system'], 'mail bounce': ['system'] };

/** How an operation is reached, and what it is called there. */
export type Operation =
  | { readonly door: 'request'; readonly name: string; readonly authentication: Authentication | undefined }
  | { readonly door: 'command' | 'job'; readonly name: string };

export type Written = Pick<NewAuditEntry, 'action' | 'author' | 'before' | 'after'>;

/** Says what is wrong with the entries that an operation has written; undefined if nothing is. */
export function findAuditFault(operation: Operation, written: readonly Written[]): string | undefined {
  const audited = tables[operation.door][operation.name] ?? { nothing: 'It is not declared.' };
  const allowed = listAllowed(audited);
  const undeclared = written.filter(({ action }) => !allowed.includes(action));
  if (undeclared.length > 0) return `writes ${undeclared.map(({ action }) => action).join()}, which is not declared`;
  const isOne = typeof audited === 'string' || 'oneOf' in audited;
  if (isOne && written.length > 1) return `writes ${written.length} entries`;
  const kinds = listAuthorKinds(operation);
  const wrong = written.find(({ author }) => !kinds.includes(author.kind));
  if (wrong) return `writes ${wrong.action} by a ${wrong.author.kind}`;
  const nowhere = operation.door === 'request' && written.find(({ author }) => !author.address);
  if (nowhere) return `writes ${nowhere.action} without the address of the request`;
  const unclear = written.find((entry) => changesValues(entry.action) && !hasDifference(entry));
  return unclear && `writes ${unclear.action} without the values before and after`;
}

function listAuthorKinds(operation: Operation): AuthorKinds {
  if (operation.door === 'request') return requestAuthors[operation.authentication ?? 'operator'];
  return operation.door === 'command'
    ? (commandAuthors[operation.name] ?? ['command'])
    : (jobAuthors[operation.name] ?? ['system']);
}

/** Of a password, nothing is ever recorded. */
function changesValues(action: AuditAction): boolean {
  return /\.(?:changed|set|renamed|extended)$/.test(action) && action !== 'password.set';
}

function hasDifference({ before = {}, after = {} }: Written): boolean {
  const names = Object.keys(after);
  return names.length > 0 && names.every((name) => name in before);
}

const tables = { request: routes, command: commands, job: jobs } as const;

/** Everything that is declared, as it is noted when a test has shown it. */
export function listDeclared(): string[] {
  return Object.entries(tables).flatMap(([door, table]) =>
    Object.entries(table).flatMap(([name, audited]) =>
      listAllowed(audited).map((action) => describeObservation(door, name, action)),
    ),
  );
}

export function describeObservation(door: string, name: string, action: string): string {
  return `${door} ${name}: ${action}`;
}

function listAllowed(audited: Audited): readonly AuditAction[] {
  if (typeof audited === 'string') return [audited];
  if ('nothing' in audited) return [];
  return 'oneOf' in audited ? audited.oneOf : audited.eachOf;
}
