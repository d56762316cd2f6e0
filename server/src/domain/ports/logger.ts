/**
 * Reports to the operator, in the log, what went wrong although no request failed. Never receives a secret, a code, a
 * token, the text of a message or a person's address.
 */
export type Report = (what: string, details: Readonly<Record<string, string | number>>) => void;

/** Notes in the log what happened as it should. What must not be in a report must not be in a note. */
export type Note = Report;
