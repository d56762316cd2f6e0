import type { Engines } from '../domain/engines.ts';
import { type Reports, repeat } from '../domain/flow/repeat.ts';
import { readBounces } from '../domain/outbox/read-bounces.ts';
import type { Mailbox } from '../domain/ports/mailbox.ts';

/** Reads returned mails every few seconds, beside the jobs. */
export function startReadingBounces(
  engines: Engines,
  mailbox: Mailbox,
  { everyMs = 10_000, ...reports }: Reports & { everyMs?: number },
): { stop(): Promise<void> } {
  return repeat((signal) => readBounces(engines, mailbox, signal), { everyMs, ...reports });
}
