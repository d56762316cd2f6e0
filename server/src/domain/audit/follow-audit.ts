import { setTimeout as wait } from 'node:timers/promises';
import type { Engines } from '../engines.ts';
import { query } from '../query.ts';
import type { AuditFilter, FullAuditEntry } from './audit-store.ts';
import { matchesFilter } from './to-audit-json.ts';

const entriesPerPage = 1_000;

/** Everything that is committed from now on, in the order of the audit, until the signal ends it. */
export async function* followEntries(
  { store }: Pick<Engines, 'store'>,
  filter: AuditFilter,
  { signal, pollMs }: { readonly signal: AbortSignal; readonly pollMs: number },
): AsyncGenerator<FullAuditEntry, undefined> {
  for (let after = await store.audit.end(); !signal.aborted; ) {
    const page = await store.audit.follow(after, entriesPerPage);
    yield* page.filter((entry) => matchesFilter(entry, filter));
    after = page.at(-1)?.position ?? after;
    if (page.length < entriesPerPage) await wait(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

export const searchAudit = query((store) => store.audit.search);
export const listAuditTargets = query((store) => store.auditTargets.list);
