import { CommanderError } from 'commander';
import { type Exit, exits, type Told, told } from './exits.ts';
import { isJson, makeProgram } from './program.ts';
import { Answers, type Terminal } from './terminal.ts';

/** Runs one command line, and answers what the process should end with. */
export async function run(terminal: Terminal, words: string[], signal: AbortSignal, version: string): Promise<Exit> {
  const program = makeProgram(terminal, signal, version);
  try {
    await program.parseAsync(words, { from: 'user' });
    return exits.done;
  } catch (error) {
    const answers = new Answers(terminal, isJson(program));
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exits.done; // help or the version
      // Without --json, Commander has told it already.
      if (isJson(program)) answers.fail(mistake(error));
      return exits.usage;
    }
    const known = told(signal.aborted ? signal.reason : error);
    answers.fail(known);
    return known.exit;
  }
}

function mistake({ code, message }: CommanderError): Told {
  const text = code === 'commander.help' ? 'No command was given.' : message.replace(/^error: /, '');
  return { exit: exits.usage, code: 'usage', message: text, next: 'See: waybill help' };
}
