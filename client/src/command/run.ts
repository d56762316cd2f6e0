import { CommanderError } from 'commander';
import { type Exit, exits, told } from './exits.ts';
import { makeProgram } from './program.ts';
import { Answers, type Terminal } from './terminal.ts';

/** Runs one command line, and answers what the process should end with. */
export async function run(terminal: Terminal, words: string[], signal: AbortSignal, version: string): Promise<Exit> {
  const program = makeProgram(terminal, signal, version);
  try {
    await program.parseAsync(words, { from: 'user' });
    return exits.done;
  } catch (error) {
    // Commander has told it already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exits.done : exits.usage;
    const known = told(signal.aborted ? signal.reason : error);
    new Answers(terminal, program.opts<{ json?: boolean }>().json === true).fail(known);
    return known.exit;
  }
}
