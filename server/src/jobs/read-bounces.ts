import { readBounces } from '../domain/outbox/read-bounces.ts';
import type { Engines, Mailbox } from '../domain/ports/index.ts';
import { repeat } from './repeat.ts';

/** Reads returned mails every few seconds, beside the jobs. */
export function startReadingBounces(
  engines: Engines,
  mailbox: Mailbox,
  { onFailure, everyMs = 10_000 }: { onFailure: (error: unknown) => void; everyMs?: number },
): { stop(): Promise<void> } {
  return repeat((signal) => readBounces(engines, mailbox, signal), { everyMs, onFailure });
}
