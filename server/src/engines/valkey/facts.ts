import type { Redis } from 'ioredis';

/** The `name:value` lines of INFO, or of some of its sections. */
export async function readFacts(redis: Redis, ...sections: string[]): Promise<Readonly<Record<string, string>>> {
  const lines = (await redis.info(...sections)).split('\r\n').filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

/** A node of a cluster serves only some of the keys, and refuses scripts on the others. */
export const nodeOfCluster = {
  says: 'The server is a node of a cluster. Waybill needs a single server, or a primary with replicas.',
  remedy:
    'Give Waybill a Valkey or Redis of its own without cluster-enabled: it may lose its data at any time, so one node is enough.',
};

export const isNodeOfCluster = (facts: Readonly<Record<string, string>>) => facts['cluster_enabled'] === '1';
