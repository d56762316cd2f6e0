const maxAnswerLength = 500;

/** A server's reply, in a form that an administrator can read and the database can store. */
export function toOneLine(answer: string): string {
  return answer
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, maxAnswerLength);
}

/**
 * In a form that the sender may read: a server may quote the mail, including a link that only the receiver may have.
 */
export function removeLinks(answer: string): string {
  return toOneLine(answer).replaceAll(/\bhttps?:\S+/gi, '…');
}
