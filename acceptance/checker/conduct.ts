/**
 * Checks the behaviour of processes: they end only when told to, log no secret, and use no more memory than allowed.
 */
import type { OwnProcess } from '../lib/servers/own-serve.ts';
import { peakMemoryMiB } from '../sizes/process-memory.ts';

export interface Conduct {
  readonly process: OwnProcess;
  /** A description, for the message about a violation. */
  readonly name: string;
  /** The signal with which the test ended it, if it did. */
  readonly endedBy?: NodeJS.Signals;
}

export interface Bounds {
  readonly memoryMiB: number;
  /** Keys, tokens and texts that must not be in a log, each under a name that may be printed. */
  readonly secrets: ReadonlyMap<string, string>;
}

export async function judgeConduct(conducts: Conduct[], { memoryMiB, secrets }: Bounds): Promise<string[]> {
  const found: string[] = [];
  for (const { process, name, endedBy } of conducts) {
    const ended = await Promise.race([process.ended, Promise.resolve(undefined)]);
    if (ended !== endedBy && (endedBy === undefined || ended !== undefined)) {
      found.push(`${name}: ended with ${ended} unasked; it said last: ${process.said.at(-1) ?? 'nothing'}`);
    }
    if (ended === undefined) {
      const peak = Math.round(peakMemoryMiB(process.pid));
      if (peak > memoryMiB) found.push(`${name}: took ${peak} MiB, and ${memoryMiB} are allowed`);
    }
    const all = process.said.join('\n');
    for (const [what, secret] of secrets) if (all.includes(secret)) found.push(`${name}: its log has ${what}`);
  }
  return found;
}
