import { isWaybillError, type WaybillError, type WaybillErrorCode } from '../../errors.ts';
import { CommandError, type ExitCode, exitCodes } from '../exit-codes.ts';

interface Explanation {
  exit: ExitCode;
  message: string;
  next: string;
}

const again = 'Run the same command again; it continues where it stopped.';
const withPassphrase = 'Run the same command again with --passphrase-file, or in a terminal.';
const withCode = 'Run the same command again with --code and the newest code.';
const refused = (message: string, next: string): Explanation => ({ exit: exitCodes.refused, message, next });

/** The failures that mean something else to somebody with a link than to somebody with an account. */
function explain(error: WaybillError, host: string): Explanation | undefined {
  const { code, message } = error;
  // The server says whom to ask in its second sentence.
  const [, said = message, advice] = /^(.*?[.]) (Ask .*)$/s.exec(message) ?? [];
  const explanations: Partial<Record<WaybillErrorCode, Explanation>> = {
    not_found: refused(
      `${host} does not know this link.`,
      'Check that it was copied whole, or ask its sender for a new one.',
    ),
    link_ended: refused(said, advice ?? 'Ask its sender for a new link.'),
    link_revoked: refused(said, advice ?? 'Ask its sender for a new link.'),
    unauthorized: { exit: exitCodes.temporary, message: 'The session of the link has ended.', next: again },
    passphrase_required: refused(message, withPassphrase),
    wrong_passphrase: refused('This is not the passphrase.', `Ask the sender what it is. ${withPassphrase}`),
    code_required: refused(message, withCode),
    wrong_code: refused(message, withCode),
    invalid_input: refused('This is not a code: a code is six digits.', withCode),
    code_expired: refused('The code has expired, or was wrong too often.', again),
    too_many_codes: refused(message, 'Use the newest one, or run the command again in an hour.'),
    too_many_requests: {
      exit: exitCodes.temporary,
      message: 'The server has refused too many wrong links or passphrases from this address.',
      next: 'Check what you entered, wait some minutes, and run the command again.',
    },
    too_many_messages: {
      exit: exitCodes.temporary,
      message: 'Too many messages were sent to this account within an hour.',
      next: 'Run the same command again in an hour; it sends what was uploaded.',
    },
    files_not_ready: refused(message, 'Add --discard-others to delete them, or name them, too.'),
    storage_full: refused(
      'The account that asked for the files has no room for them.',
      'Ask it to make room, then run the same command again.',
    ),
    target_exists: {
      exit: exitCodes.failed,
      message,
      next: 'Move the existing file, or choose another path.',
    },
    unreachable: {
      exit: exitCodes.temporary,
      message,
      next: 'Check the link and the network, then run the same command again; it continues where it stopped.',
    },
    unexpected_response: {
      exit: exitCodes.failed,
      message: `${host} does not respond as a Waybill server of this version does.`,
      next: 'Check the link, or open it in a browser.',
    },
  };
  return explanations[code];
}

/** Returns the failure as somebody with a link understands it. */
export function explainLinkError(error: unknown, host: string): unknown {
  const explanation = isWaybillError(error) ? explain(error, host) : undefined;
  if (!explanation) return error;
  const { exit, message, next } = explanation;
  return new CommandError(exit, (error as WaybillError).code, message, next);
}
