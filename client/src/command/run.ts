import { CommanderError } from 'commander';
import { describeError } from './error-report.ts';
import { type ExitCode, exitCodes, SilentExit } from './exit-codes.ts';
import { isJson, makeProgram } from './program.ts';
import { eraseTemporaryLine } from './terminal/temporary-line.ts';
import { Output, type Terminal } from './terminal/terminal.ts';

/** Runs one command line. Returns the exit code of the process. */
export async function run(
  terminal: Terminal,
  words: string[],
  signal: AbortSignal,
  version: string,
): Promise<ExitCode> {
  const program = makeProgram(terminal, signal, version);
  try {
    await program.parseAsync(words, { from: 'user' });
    return exitCodes.success;
  } catch (error) {
    if (error instanceof SilentExit) return error.exit;
    const json = isJson(program);
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.success; // help or the version
      if (!json) return exitCodes.usage; // the help was shown in place of a message
    }
    const known = describeError(signal.aborted ? signal.reason : error);
    new Output(terminal, json).printError(known);
    return known.exit;
  } finally {
    eraseTemporaryLine(terminal.errors);
  }
}
