import { CommanderError } from 'commander';
import { isWaybillError, type WaybillError, type WaybillErrorCode } from '../errors.ts';
import type { Fault } from '../generated/wire.ts';
import { CommandError, type ExitCode, exitCodes } from './exit-codes.ts';
import { describeFileError } from './file-errors.ts';
import { formatSize } from './terminal/format.ts';

interface Outcome {
  /** Defaults to `temporary` if the request may succeed later, and to `refused` otherwise. */
  exit?: ExitCode;
  /** Replaces the server's message if that is meant for developers of clients. */
  message?: string;
  /** Tells the user what to do next. */
  next: string;
}

const administratorAdvice = 'Contact the administrator of the server.';
const incompatible: Outcome = {
  exit: exitCodes.failed,
  message: 'The server did not understand this version of waybill.',
  next: 'Compare the versions of waybill and of the server, and contact the administrator.',
};
const sendAgain = 'Send the files again: waybill send …';
const retryLater: Outcome = {
  next: 'Run the same command again later; nothing is sent twice.',
};

/** Exhaustive: a new code does not compile until it has an outcome here. */
const outcomes: Record<WaybillErrorCode, Outcome> = {
  malformed_request: incompatible,
  invalid_input: { next: 'Correct the value and run the command again.' },
  invalid_name: { next: 'Rename the file.' },
  unauthorized: {
    exit: exitCodes.account,
    message: 'The server does not accept this account and key.',
    next: 'Log in again with the account’s address and a valid key: waybill login URL. Or correct WAYBILL_USER and WAYBILL_API_KEY, if they are set.',
  },
  scope_missing: {
    next: 'Use another key, or create one: waybill keys create --help. To list the scopes of your key: waybill whoami',
  },
  network_not_allowed: {
    message: 'Your key may not be used from the address of this machine.',
    next: 'Run the command in one of the networks of the key, or log in with another key: waybill login URL',
  },
  not_found: { next: 'Check what you named, and whose key you use: waybill whoami' },
  link_ended: { message: 'It has expired and cannot be changed.', next: sendAgain },
  link_revoked: { message: 'It was revoked and cannot be changed.', next: sendAgain },
  receipt_not_ready: { ...retryLater, message: 'The newest event is not in the log yet.' },
  receipt_unavailable: { next: 'Use a receipt that you stored before.' },
  files_not_ready: incompatible,
  upload_superseded: incompatible,
  upload_worn_out: incompatible,
  too_many_messages: {
    message: 'The limit of messages per hour is reached, for this account or for one of the receivers.',
    next: 'Run the same command again in an hour; nothing is sent twice.',
  },
  contact_exists: {
    next: 'To change a contact that exists: waybill contacts add --update ADDRESS',
  },
  no_receivers: { exit: exitCodes.usage, message: 'No receiver was given.', next: 'Name at least one with --to.' },
  no_files: { exit: exitCodes.usage, next: 'Name at least one file, or - for standard input.' },
  too_many_files: {
    next: 'Send fewer files at a time, or an archive of them.',
  },
  idempotency_key_reused: {
    message:
      'The --key was used for another send or request in the last 7 days, or the files or options have changed since.',
    next: 'Use another --key, or the same files and options as before.',
  },
  request_in_flight: { ...retryLater, message: 'The same request is still being processed.' },
  lease_not_held: {
    message: 'The lease of the entry has ended.',
    next: 'Run the same command again; another pull may have the entry now.',
  },
  not_parked: { next: 'Check the state of the entry: waybill inbox' },
  cursor_expired: {
    exit: exitCodes.failed,
    message: 'Events were missed: the server keeps them only for some time.',
    next: 'Run the same command again; it continues with new events.',
  },
  too_many_keys: {
    message: 'The account has as many live keys as it may.',
    next: 'Revoke one that is not used any more. To list them: waybill keys list',
  },
  too_many_webhooks: {
    message: 'The account has as many webhooks as it may.',
    next: 'Delete one that is not used any more. To list them: waybill webhooks list',
  },
  precondition_failed: {
    message: 'It was changed meanwhile by somebody else, and was left as it is.',
    next: 'Check its current state, then run the command again.',
  },
  too_large: { next: 'Send less at a time, or ask the administrator for a higher limit.' },
  too_large_to_scan: {
    next: 'Send it in smaller parts, or ask the administrator whether larger files can be scanned.',
  },
  storage_full: {
    next: 'Revoke drops that are not needed any more (waybill history), or ask the administrator for more storage. Then run the same command again.',
  },
  recipient_not_allowed: { next: 'Choose another receiver, or ask the administrator to allow this one.' },
  daily_limit: {
    next: 'Run the same command again tomorrow (UTC), or ask the administrator; nothing is sent twice.',
  },
  unsupported_media_type: incompatible,
  range_not_satisfiable: {
    exit: exitCodes.failed,
    message: 'The server has fewer bytes of a file than were downloaded before.',
    next: 'Run the same command again.',
  },
  wrong_host: { next: 'Check the server’s address: waybill login URL' },
  infected: { exit: exitCodes.infected, next: 'Do not send this file. Nothing was sent.' },
  encrypted: { next: 'Send the file without a password, or ask the administrator to accept encrypted files.' },
  headers_too_large: incompatible,
  request_timeout: retryLater,
  passphrase_required: { next: 'Run the same command again with --passphrase-file, or in a terminal.' },
  wrong_passphrase: { next: 'Ask the sender for the passphrase, and run the same command again.' },
  code_required: { next: 'Run the same command again with --code and the newest code.' },
  wrong_code: { next: 'Run the same command again with --code and the newest code.' },
  code_expired: { next: 'Run the same command again to get another code.' },
  too_many_codes: { next: 'Use the newest code, or run the command again in an hour.' },
  too_many_transfers: { ...retryLater, message: 'Too many downloads run through this link at once.' },
  too_many_requests: {
    message: 'The server has refused too many wrong keys from this address.',
    next: 'Check the key, wait a minute, and run the command again.',
  },
  unavailable: { ...retryLater, message: 'The server is temporarily unavailable.' },
  damaged: { exit: exitCodes.damaged, next: administratorAdvice },
  internal: {
    exit: exitCodes.failed,
    message: 'The server encountered an unexpected error.',
    next: 'Run the command again later. If it fails again, send this message to the administrator of the server.',
  },
  unreachable: {
    next: 'Check the server’s address and the network, then run the command again.',
  },
  unexpected_response: {
    exit: exitCodes.failed,
    next: 'Check the server’s address, then log in again: waybill login URL',
  },
  digest_mismatch: {
    exit: exitCodes.damaged,
    next: 'Run the command again; if it happens again, contact the administrator.',
  },
  source_failed: { exit: exitCodes.failed, next: 'Check the file and run the command again.' },
  target_exists: {
    exit: exitCodes.failed,
    next: 'Move the existing file, choose another path with --output, or replace the file with --overwrite.',
  },
  temporary_folder: { exit: exitCodes.failed, next: 'Set TMPDIR to a folder with room.' },
  invalid_argument: { exit: exitCodes.usage, next: 'See: waybill --help' },
};

export interface ErrorReport extends Outcome {
  exit: ExitCode;
  code: string;
  message: string;
  instance?: string | undefined;
  /** More of what a program needs to know. */
  details?: Readonly<Record<string, unknown>>;
}

/** A request can have a thousand faults. */
const maxFaults = 5;

/** Returns the message, the advice and the exit code for any error. */
export function describeError(error: unknown): ErrorReport {
  if (isWaybillError(error)) {
    const exit = error.isRetryable ? exitCodes.temporary : exitCodes.refused;
    const { code, instance } = error;
    return { exit, message: rephrase(error.message), ...outcomes[code], ...describeDetails(error), code, instance };
  }
  if (error instanceof CommandError) return error;
  if (error instanceof Error && error.name === 'AbortError') {
    return {
      exit: exitCodes.interrupted,
      code: 'interrupted',
      message: 'Interrupted.',
      next: 'Run the same command again to continue.',
    };
  }
  if (error instanceof CommanderError) {
    return { exit: exitCodes.usage, code: 'usage', message: 'No command was given.', next: 'See: waybill --help' };
  }
  const problem = describeFileError(error);
  if (problem) return { exit: exitCodes.failed, ...problem };
  const message = error instanceof Error ? error.message : String(error);
  return {
    exit: exitCodes.failed,
    code: 'failed',
    message,
    next: 'Run the command again. If it fails again, send this message to the administrator.',
  };
}

/** Describes what is known about this failure, in place of what holds for its code. */
function describeDetails(error: WaybillError): Partial<Outcome> {
  const { code, message, faults, maxSize, status } = error;
  if (faults.length > 1) return describeFaults(faults);
  if (maxSize !== undefined)
    return { next: `${describeMaxSize(code, maxSize)} ${oversizeAdvice[code] ?? outcomes[code].next}` };
  if (code === 'source_failed' && message.includes('can be read only once.')) {
    return { message: message.replace(/ Send it again .*/, ''), next: 'Send it again with another --key.' };
  }
  if (message.includes('"notify": false')) {
    const next = 'Leave out --no-mail, so that receivers get a mail, or ask the administrator.';
    return { message: 'Your account may send only to certain domains, so it does not get links itself.', next };
  }
  // Not of the server: an upload that is known from before does not exist any more.
  if (code === 'not_found' && status === undefined) return { message, next: 'Use another --key.' };
  if (message.startsWith('There is nothing at this path.')) {
    const next = 'Check the server’s address and its path, then log in again: waybill login URL';
    return { message: 'There is no API of Waybill at this address.', next };
  }
  if (code === 'network_not_allowed' && message.startsWith('The new key'))
    return { message, next: 'Choose networks within those of your key: waybill whoami' };
  const [, address] = noPhone.exec(message) ?? [];
  if (address !== undefined) return { next: `Add it: waybill contacts add --update ${address} --phone …` };
  // The client's own messages end with advice, and so do those of the server that depend on the account.
  const endsWithAdvice =
    ['temporary_folder', 'not_found', 'recipient_not_allowed'].includes(code) ||
    (status === undefined && ['invalid_argument', 'too_many_files', 'unexpected_response'].includes(code));
  const [, problem, advice] = (endsWithAdvice && /^(.*\.) ([A-Z](?:[^.]|\.(?=\S))*\.)$/s.exec(message)) || [];
  return problem === undefined || advice === undefined ? {} : { message: rephrase(problem), next: advice };
}

/** The server's message about a receiver who cannot get a code. */
const noPhone = /^(\S+@\S+) has no phone number/;

/** Describes several faults, in a line for each. */
function describeFaults(faults: readonly Fault[]): Partial<Outcome> {
  const shown = faults.slice(0, maxFaults).map(({ detail }) => rephrase(detail));
  const others = faults.length - shown.length;
  const lines = [`${faults.length} parts are wrong; nothing was changed:`, ...shown];
  if (others > 0) lines.push(`… and ${others} more.`);
  return { message: lines.join('\n'), next: 'Correct them and run the command again.' };
}

function describeMaxSize(code: WaybillErrorCode, maxSize: number): string {
  const size = formatSize(maxSize);
  if (code === 'storage_full') return `The account may store up to ${size}.`;
  if (code === 'too_large_to_scan') return `Only files of up to ${size} can be scanned for viruses.`;
  return `Your account accepts files of up to ${size}.`;
}

/** Advice for a file that is too large by itself. */
const oversizeAdvice: Partial<Record<WaybillErrorCode, string>> = {
  too_large: 'Send it in smaller parts, or ask the administrator for a higher limit.',
};

/** Fields of the API that the server names, with the options for them, and what it says to programs. */
const replacements: readonly (readonly [RegExp, string])[] = [
  [/"title"/g, '--title'],
  [/"message"/g, '--message'],
  [/"?\bexpires_in\b"?/g, '--days'],
  // When a program may repeat a request; people get a next step.
  [/ [^.]*\bRetry-After\b[^.]*\./g, ''],
  [/is not an e-mail address we can use/g, 'is not a valid e-mail address'],
];

function rephrase(message: string): string {
  return replacements.reduce((text, [found, replacement]) => text.replace(found, replacement), message);
}
