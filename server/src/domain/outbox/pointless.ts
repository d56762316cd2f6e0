import { codeSeconds } from '../links/code.ts';
import type { MessageKind, WaitingMessage } from '../ports/index.ts';

/** News for the account itself, about what others did. */
export function isForAccount(kind: MessageKind): boolean {
  return kind === 'receipt' || kind === 'received';
}

/** Why sending the message would help nobody any more; undefined while it would. */
export function pointlessBecause(message: WaitingMessage): string | undefined {
  const { kind } = message;
  if (!isForAccount(kind) && !message.dropLive) return 'its drop ended before it could be sent';
  if (kind === 'code' && message.ageSeconds > codeSeconds) return 'the code ran out before it could be sent';
  if (kind === 'reminder' && message.person.completedAt !== null) return 'the receiver has everything';
  return undefined;
}
