import { Resolver } from 'node:dns/promises';

/** The addresses of a name, IPv4 first; none if it has none. Throws when DNS does not respond. */
export type ResolveAddresses = (name: string) => Promise<readonly string[]>;

/**
 * By DNS alone. The system's own look-up would also read its hosts file, but it occupies one of the few threads of this
 * process until the name server responds, and anyone can run a name server that does not.
 */
export function dnsAddresses(timeoutMs = 2_500): ResolveAddresses {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  const ask = async (query: () => Promise<string[]>): Promise<string[]> => {
    try {
      return await query();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENODATA' || code === 'ENOTFOUND') return [];
      throw error;
    }
  };
  return async (name) => {
    const found = await Promise.all([ask(() => resolver.resolve4(name)), ask(() => resolver.resolve6(name))]);
    return found.flat();
  };
}
