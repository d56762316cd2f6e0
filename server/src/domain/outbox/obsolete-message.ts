import { codeSeconds } from '../links/code.ts';
import type { MessageKind, WaitingMessage } from './outbox-store.ts';

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
