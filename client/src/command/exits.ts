import { isWaybillError, type WaybillErrorCode } from '../errors.ts';

/** What the command ends with. docs/client.md lists them. */
export const exits = {
  done: 0,
  failed: 1,
  usage: 2,
  account: 3,
  refused: 4,
  later: 5,
  damaged: 6,
  infected: 7,
  incomplete: 8,
  interrupted: 130,
} as const;

export type Exit = (typeof exits)[keyof typeof exits];

/** A failure that is the command's own, with what to do next. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exit: Exit;
  readonly code: string;
  readonly next: string;

  constructor(exit: Exit, code: string, message: string, next: string) {
    super(message);
    this.exit = exit;
    this.code = code;
    this.next = next;
  }
}

interface Ending {
  exit: Exit;
  /** Instead of the server's message, where that speaks to whoever writes a client. */
  message?: string;
  /** What the reader of the message can do about it. */
  next: string;
}

const tellAdministrator = 'Tell the administrator of the server.';
const ourMistake: Ending = {
  exit: exits.failed,
  next: 'This should not happen: client and server may not fit together.',
};
const later: Ending = { exit: exits.later, next: 'Run the same command again in a while; nothing is sent twice.' };

/** Exhaustive: a new code does not compile until it is decided what its reader can do. */
const endings: Record<WaybillErrorCode, Ending> = {
  malformed_request: ourMistake,
  invalid_input: {
    exit: exits.refused,
    next: 'Correct what the message names; desttime is --days, ddmessage --message.',
  },
  invalid_name: { exit: exits.refused, next: 'Rename the file.' },
  unauthorized: {
    exit: exits.account,
    message: 'The server does not accept this account and key.',
    next: 'Check the address and the key, and log in again: waybill login',
  },
  csrf_rejected: later,
  wrong_account: { exit: exits.account, next: 'Log in again: waybill login' },
  cross_site: ourMistake,
  not_found: { exit: exits.refused, next: 'It may have passed its deadline; look with: waybill inbox' },
  link_ended: { exit: exits.refused, next: 'Ask the sender for a new one.' },
  link_revoked: { exit: exits.refused, next: 'Ask the sender.' },
  code_required: ourMistake,
  files_not_ready: ourMistake,
  upload_superseded: ourMistake,
  upload_worn_out: ourMistake,
  too_many_transfers: ourMistake,
  too_many_messages: {
    exit: exits.later,
    next: 'An hour’s limit of messages is reached. Run the same command again later; nothing is sent twice.',
  },
  method_not_allowed: ourMistake,
  contact_exists: { exit: exits.refused, next: 'To change a contact that is there: waybill contacts add --update' },
  unknown_contact: { exit: exits.refused, next: 'Add the contact first: waybill contacts add' },
  no_receivers: { exit: exits.usage, next: 'Name a receiver with --to.' },
  no_files: { exit: exits.usage, next: 'Name at least one file, or - for standard input.' },
  file_list_not_initialized: ourMistake,
  too_many_files: { exit: exits.refused, next: 'Send fewer files at a time.' },
  idempotency_key_reused: { exit: exits.refused, next: 'Use another --key: this one belongs to something else.' },
  precondition_failed: later,
  too_large: { exit: exits.refused, next: 'Send less at a time, or ask the administrator for a higher limit.' },
  too_large_to_scan: { exit: exits.refused, next: 'Ask the administrator: the virus scanner does not take so much.' },
  unsupported_media_type: ourMistake,
  range_not_satisfiable: { exit: exits.failed, next: 'Fetch the file again.' },
  wrong_host: { exit: exits.refused, next: 'Check the server’s address: waybill login' },
  infected: { exit: exits.infected, next: 'Do not send this file. Nothing was dispatched.' },
  encrypted: { exit: exits.refused, next: 'Send the file without a password, or ask the administrator.' },
  headers_too_large: ourMistake,
  request_timeout: later,
  too_many_requests: {
    exit: exits.later,
    next: 'Too many wrong keys came from here. Check the key, then wait a minute.',
  },
  unavailable: later,
  damaged: { exit: exits.damaged, next: tellAdministrator },
  internal: { exit: exits.failed, next: tellAdministrator },
  unreachable: { exit: exits.later, next: 'Check the server’s address and the network, then run the command again.' },
  unexpected_answer: { exit: exits.failed, next: 'Check the server’s address: waybill login' },
  digest_mismatch: { exit: exits.damaged, next: 'Fetch the file again; if it happens again, tell the administrator.' },
  source_failed: { exit: exits.failed, next: 'Check the file, and that nobody writes to it while it is sent.' },
  target_exists: { exit: exits.failed, next: 'Move what is there out of the way.' },
  invalid_argument: { exit: exits.usage, next: 'Correct the command; waybill help shows how.' },
};

export interface Told extends Ending {
  code: string;
  message: string;
  requestId?: string | undefined;
}

/** What there is to say about an error, whatever it is. */
export function told(error: unknown): Told {
  if (isWaybillError(error)) {
    return { message: error.message, ...endings[error.code], code: error.code, requestId: error.requestId };
  }
  if (error instanceof CommandError) return error;
  if (error instanceof Error && error.name === 'AbortError') {
    return { exit: exits.interrupted, code: 'interrupted', message: 'Interrupted.', next: 'Run it again to go on.' };
  }
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return { exit: exits.failed, code: 'disk_full', message: 'The disk is full.', next: 'Make room and run it again.' };
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return { exit: exits.failed, code: 'not_permitted', message, next: 'Check who may read and write there.' };
  }
  return { exit: exits.failed, code: code ?? 'failed', message: message ?? String(error), next: 'See docs/client.md.' };
}
