import type { Retry } from '../http/retry-policy.ts';
import { describeError } from './error-report.ts';
import { formatDuration } from './terminal/format.ts';
import { toPrintable } from './terminal/printable.ts';
import { drawTemporaryLine } from './terminal/temporary-line.ts';
import { type Output, screenWidth, type Terminal } from './terminal/terminal.ts';
import { shorten } from './terminal/text-width.ts';

/**
 * Returns a function that says why a command takes long: in a line that each attempt replaces, on a terminal; elsewhere
 * once for each reason, so that a log does not grow with the attempts. A program that reads JSON only gets the result.
 */
export function createRetryNotice({ errors }: Terminal, output?: Output): ((retry: Retry) => void) | undefined {
  if (output?.isJson) return undefined;
  if (errors.isTTY === true) {
    return (retry) => drawTemporaryLine(errors, shorten(toPrintable(describeRetry(retry)), screenWidth(errors) - 1));
  }
  let reported: string | undefined;
  return ({ error }) => {
    const { message } = describeError(error);
    if (message !== reported) output?.notice(`${message} Trying again …`);
    reported = message;
  };
}

/** Short, and with the reason last, because the end of a line that is too long is not shown. */
function describeRetry({ attempt, maxAttempts, error }: Retry): string {
  const { retryAfterSeconds: seconds } = error;
  const wait = seconds === undefined || seconds === 0 ? '' : ` in ${formatDuration(seconds)}`;
  const reason = describeError(error).message.replace(/\.$/, '');
  return `Attempt ${attempt} of ${maxAttempts}${wait}: ${reason}`;
}
