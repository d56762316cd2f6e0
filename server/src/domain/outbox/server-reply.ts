const maxReplyLength = 500;

/** A server's reply, in a form that an administrator can read and the database can store. */
export function toOneLine(response: string): string {
  return response
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxReplyLength);
}

/**
 * In a form that the sender may read: a server may quote the mail, including a link that only the receiver may have.
 */
export function removeLinks(response: string): string {
  return toOneLine(response).replaceAll(/\bhttps?:\S+/gi, '…');
}
