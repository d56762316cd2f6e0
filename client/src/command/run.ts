import { CommanderError } from 'commander';
import { type Exit, exits, told } from './exit-codes.ts';
import { isJson, makeProgram } from './program.ts';
import { Answers, type Terminal } from './terminal/terminal.ts';

/** Runs one command line. Returns the exit code of the process. */
export async function run(terminal: Terminal, words: string[], signal: AbortSignal, version: string): Promise<Exit> {
  const program = makeProgram(terminal, signal, version);
  try {
    await program.parseAsync(words, { from: 'user' });
    return exits.done;
  } catch (error) {
    const json = isJson(program);
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exits.done; // help or the version
      if (!json) return exits.usage; // the help was shown in place of a message
    }
    const known = told(signal.aborted ? signal.reason : error);
    new Answers(terminal, json).fail(known);
    return known.exit;
  }
}
