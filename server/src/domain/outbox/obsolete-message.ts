import type { Engines } from '../engines.ts';
import { codeSeconds } from '../links/issue-code.ts';
import type { Policy } from '../policy.ts';
import { toReference } from '../reference.ts';
import type { MessageKind, SettledMessage, WaitingMessage } from './outbox-store.ts';

const notices: ReadonlySet<MessageKind> = new Set([
  'receipt',
  'received',
  'undeliverable',
  'more_time',
  'send_again',
  'report',
]);

/** Tells the account itself, or the operator, what others did. */
export function isNotice(kind: MessageKind): boolean {
  return notices.has(kind);
}

/** Written on the account's behalf to someone who did not just ask for it, and who may therefore stop it. */
export function isStoppable(kind: MessageKind): boolean {
  return !isNotice(kind) && kind !== 'code';
}

/** Reports what has happened, however the drop has ended since. */
function isNews(kind: MessageKind): boolean {
  return isNotice(kind) || kind === 'confirmation';
}

/** The reason for which the messages of a revoked drop are abandoned; they are sent if the revocation is undone. */
export const dropEnded = 'its drop ended before it could be sent';

/** Why there is no longer any point in sending the message; undefined while there is. */
export function findObsoleteReason(message: WaitingMessage): string | undefined {
  const { kind } = message;
  if (message.isUnwanted) return 'the person is no member any more, or wants no such news';
  if (!isNews(kind) && !message.dropLive) return dropEnded;
  if (kind === 'code' && message.ageSeconds > codeSeconds) return 'the code ran out before it could be sent';
  const { completedAt, undeliverable } = message.person;
  if (kind === 'reminder' && completedAt !== null) {
    return message.dropType === 'downloadfiles' ? 'the receiver has everything' : 'the contact has sent files';
  }
  if (kind === 'reminder' && undeliverable !== null) return 'mails do not reach the receiver';
  if (kind === 'undeliverable' && undeliverable === null) return 'the receiver may be reached again';
  return undefined;
}

/** In the domain that the mail comes from, because any other would look forged. */
export function toMessageId({ mailFrom }: Pick<Policy, 'mailFrom'>, id: string): string {
  return `<${id}@${mailFrom.split('@').at(-1)}>`;
}

/** The sender and the receiver of a mail that the operator sends, and no account. */
export function toOperatorsMail(
  { policy, returnPaths }: Pick<Engines, 'policy' | 'returnPaths'>,
  id: string,
  to: string,
) {
  const { mailFrom } = policy;
  return {
    messageId: toMessageId(policy, id),
    from: { name: policy.operatorName, address: mailFrom },
    replyTo: mailFrom,
    envelopeFrom: returnPaths?.toAddress(id) ?? mailFrom,
    to,
  };
}

/** The request's reference for files that a contact sent, so that both sides quote the one that the contact's page shows. */
export function toMessageReference({ dropId, requestId }: Pick<WaitingMessage, 'dropId' | 'requestId'>): string {
  return toReference(requestId ?? dropId);
}

/** The story of the receiver to whom a message was written; undefined if it was written to the sender. */
export function findReceiverStory(
  accountId: string,
  { kind, dropId, position }: SettledMessage,
): { readonly accountId: string; readonly dropId: string; readonly position: number } | undefined {
  return position === null || isNotice(kind) ? undefined : { accountId, dropId, position };
}
