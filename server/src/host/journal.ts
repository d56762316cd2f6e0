import { fstatSync } from 'node:fs';
import { type DestinationStream, destination } from 'pino';

/** The journal's priorities, by the lowest level of the log that has each. */
const priorities = [
  { level: 60, priority: 2 },
  { level: 50, priority: 3 },
  { level: 40, priority: 4 },
  { level: 30, priority: 6 },
];

/**
 * Where log lines go if systemd connected this descriptor to the journal, as JOURNAL_STREAM says: each begins with its
 * priority, which the journal removes and records. Undefined otherwise.
 */
export function openJournal(journalStream: string | undefined, descriptor = 1): DestinationStream | undefined {
  const { dev, ino } = fstatSync(descriptor);
  if (journalStream !== `${dev}:${ino}`) return undefined;
  const output = destination({ fd: descriptor, sync: true });
  return { write: (line) => void output.write(`<${findPriority(line)}>${line}`) };
}

function findPriority(line: string): number {
  const level = Number(/^\{"level":(\d+)/.exec(line)?.[1]);
  return priorities.find((candidate) => level >= candidate.level)?.priority ?? 7;
}
