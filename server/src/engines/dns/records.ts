import { Resolver } from 'node:dns/promises';
import type { DnsRecords, DnsResponse } from '../../domain/ports/mailer.ts';

/** Queries the system's DNS servers, or this one. */
export function dnsRecords({
  server,
  timeoutMs = 3_000,
}: {
  server?: string | undefined;
  timeoutMs?: number;
} = {}): DnsRecords {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (server !== undefined) resolver.setServers([server]);

  const ask = async <Value>(query: () => Promise<Value[]>): Promise<DnsResponse<Value>> => {
    try {
      return { exists: true, values: await query() };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENODATA' || code === 'ENOTFOUND') return { exists: code === 'ENODATA', values: [] };
      throw error;
    }
  };

  return {
    txt: (name) => ask(async () => (await resolver.resolveTxt(name)).map((parts) => parts.join(''))),
    mx: (name) =>
      ask(async () =>
        (await resolver.resolveMx(name)).toSorted((a, b) => a.priority - b.priority).map(({ exchange }) => exchange),
      ),
    async addresses(name) {
      const responses = await Promise.all([ask(() => resolver.resolve4(name)), ask(() => resolver.resolve6(name))]);
      return { exists: responses.some(({ exists }) => exists), values: responses.flatMap(({ values }) => values) };
    },
  };
}
