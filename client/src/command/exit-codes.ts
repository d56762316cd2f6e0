import { CommanderError } from 'commander';
import { isWaybillError, type WaybillErrorCode } from '../errors.ts';
import { fileProblem } from './file-errors.ts';

/** The exit codes. docs/client.md lists them, and so does `waybill --help`. */
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

/** A failure of the command itself, with what to do next. */
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
  /** Replaces the server's message where that is meant for those who write clients. */
  message?: string;
  /** What to do about it. */
  next: string;
}

const tellAdministrator = 'Tell the administrator of the server.';
const ourMistake: Ending = {
  exit: exits.failed,
  message: 'The server did not understand this version of waybill.',
  next: 'Compare the versions of waybill and of the server, and tell the administrator.',
};
const later: Ending = { exit: exits.later, next: 'Run the same command again later; nothing is sent twice.' };

/** Exhaustive: a new code does not compile until it is decided here what to do about it. */
const endings: Record<WaybillErrorCode, Ending> = {
  malformed_request: ourMistake,
  invalid_input: { exit: exits.refused, next: 'Correct the value and run the command again.' },
  invalid_name: { exit: exits.refused, next: 'Rename the file.' },
  unauthorized: {
    exit: exits.account,
    message: 'The server does not accept this account and key.',
    next: 'Check the account’s address and the key, then log in again: waybill login URL',
  },
  scope_missing: { exit: exits.account, next: 'Use a key with this scope.' },
  network_not_allowed: {
    exit: exits.account,
    next: 'Run the command from an address for which the key was made, or use another key.',
  },
  not_found: {
    exit: exits.refused,
    message: 'There is no Waybill server at this address.',
    next: 'Check the server’s address and its path, then log in again: waybill login URL',
  },
  link_ended: { exit: exits.refused, next: 'Ask the sender to send it again.' },
  link_revoked: { exit: exits.refused, next: 'Ask the sender.' },
  files_not_ready: ourMistake,
  upload_superseded: ourMistake,
  upload_worn_out: ourMistake,
  too_many_messages: {
    exit: exits.later,
    message: 'The limit of messages per hour is reached, for this account or for one of the receivers.',
    next: 'Run the same command again in an hour; nothing is sent twice.',
  },
  contact_exists: {
    exit: exits.refused,
    next: 'To change a contact that exists: waybill contacts add --update ADDRESS',
  },
  no_receivers: { exit: exits.usage, message: 'There is no receiver.', next: 'Name at least one with --to.' },
  no_files: {
    exit: exits.usage,
    message: 'There is no file to send.',
    next: 'Name at least one, or - for standard input.',
  },
  too_many_files: {
    exit: exits.refused,
    message: 'The server does not take so many files at once.',
    next: 'Send fewer files at a time.',
  },
  idempotency_key_reused: {
    exit: exits.refused,
    message: 'The --key was used for something else in the last 7 days, or what it stands for has changed since.',
    next: 'Use another key.',
  },
  request_in_flight: { ...later, message: 'The same request is still being processed.' },
  lease_not_held: { exit: exits.refused, next: 'Claim the entry again.' },
  not_parked: { exit: exits.refused, next: 'Look at the state of the entry.' },
  cursor_expired: { exit: exits.failed, next: 'Start again: events are kept only for some time.' },
  too_many_keys: { exit: exits.refused, next: 'Revoke a key that is not used any more.' },
  too_many_webhooks: { exit: exits.refused, next: 'Remove a webhook that is not used any more.' },
  precondition_failed: { exit: exits.refused, next: 'Look at it again, then run the command again.' },
  too_large: { exit: exits.refused, next: 'Send less at a time, or ask the administrator for a higher limit.' },
  too_large_to_scan: { exit: exits.refused, next: 'Send it in smaller parts, or ask the administrator.' },
  storage_full: {
    exit: exits.refused,
    next: 'Remove files, revoke drops, or ask the administrator for more storage. Then run the same command again.',
  },
  recipient_not_allowed: { exit: exits.refused, next: 'Choose another receiver, or ask the administrator.' },
  daily_limit: {
    exit: exits.later,
    next: 'Run the same command again tomorrow (UTC), or ask the administrator; nothing is sent twice.',
  },
  unsupported_media_type: ourMistake,
  range_not_satisfiable: {
    exit: exits.failed,
    message: 'The server has less of a file than was downloaded before.',
    next: 'Run the same command again.',
  },
  wrong_host: { exit: exits.refused, next: 'Check the server’s address: waybill login URL' },
  infected: { exit: exits.infected, next: 'Do not send this file. Nothing was sent.' },
  encrypted: { exit: exits.refused, next: 'Send the file without a password, or ask the administrator.' },
  headers_too_large: ourMistake,
  request_timeout: later,
  too_many_requests: {
    exit: exits.later,
    message: 'The server has refused too many wrong keys from this address.',
    next: 'Check the key, wait a minute, and run the command again.',
  },
  unavailable: { ...later, message: 'The server is out of order for the moment.' },
  damaged: { exit: exits.damaged, next: tellAdministrator },
  internal: { exit: exits.failed, message: 'The server met an unexpected error.', next: tellAdministrator },
  unreachable: { exit: exits.later, next: 'Check the server’s address and the network, then run the command again.' },
  unexpected_answer: { exit: exits.failed, next: 'Check the server’s address, then log in again: waybill login URL' },
  digest_mismatch: { exit: exits.damaged, next: 'Run the command again; if it happens again, tell the administrator.' },
  source_failed: { exit: exits.failed, next: 'Check the file and run the command again.' },
  target_exists: { exit: exits.failed, next: 'Move what is there out of the way.' },
  invalid_argument: { exit: exits.usage, next: 'See: waybill --help' },
};

export interface Told extends Ending {
  code: string;
  message: string;
  instance?: string | undefined;
}

/** A thousand receivers can all be wrong. */
const mostFaults = 5;

/** What to say about any error. */
export function told(error: unknown): Told {
  if (isWaybillError(error)) {
    // One fault is the message itself.
    const faults = error.faults.length > 1 ? error.faults.slice(0, mostFaults).map(({ detail }) => detail) : [];
    const message = inTermsOfTheCommand([error.message, ...faults].join(' '));
    return { message, ...endings[error.code], code: error.code, instance: error.instance };
  }
  if (error instanceof CommandError) return error;
  if (error instanceof Error && error.name === 'AbortError') {
    return {
      exit: exits.interrupted,
      code: 'interrupted',
      message: 'Interrupted.',
      next: 'Run the same command again to continue.',
    };
  }
  if (error instanceof CommanderError) {
    return { exit: exits.usage, code: 'usage', message: 'No command was given.', next: 'See: waybill --help' };
  }
  const problem = fileProblem(error);
  if (problem) return { exit: exits.failed, ...problem };
  const message = error instanceof Error ? error.message : String(error);
  return { exit: exits.failed, code: 'failed', message, next: 'If the message does not help, tell the administrator.' };
}

/** The server names fields of its API; here they are options. */
const fieldsToOptions: readonly (readonly [RegExp, string])[] = [
  [/"message"/g, '--message'],
  [/"?\bexpires_in\b"?/g, '--days'],
];

function inTermsOfTheCommand(message: string): string {
  return fieldsToOptions.reduce((text, [field, option]) => text.replace(field, option), message);
}
