const maxReplyLength = 500;
/**
 * The text that senders read while the mail server is away, or refuses Waybill itself: the reason follows, for administrators. The
 * page compares it too (`bounce-reason.ts`).
 */
export const cannotSend = 'mails cannot be sent at the moment';

/** A server's reply, in a form that an administrator can read and the database can store: without half a character at its end. */
export function toOneLine(response: string): string {
  return response
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxReplyLength)
    .toWellFormed();
}

/**
 * In a form that the sender may read: a server may quote the mail, including a link that only the receiver may have.
 */
export function removeLinks(response: string): string {
  return toOneLine(response).replaceAll(/\bhttps?:\S+/gi, '…');
}

/** The enhanced status code of a reply (RFC 3463), such as 5.1.1. */
export function findStatus(response: string): string | undefined {
  return /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.])/.exec(response)?.[0];
}
