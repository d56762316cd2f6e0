import { type Redis, ReplyError } from 'ioredis';
import { SetupError } from '../../domain/setup-error.ts';
import { findReason } from './connect.ts';

/** Throws when the server is unavailable, and a SetupError when it responds but cannot be used. */
export async function checkValkey(redis: Redis): Promise<void> {
  try {
    await redis.ping();
  } catch (error) {
    if (!isRefusal(error)) throw findReason(redis, error);
    throw new SetupError('Valkey or Redis refuses our credentials. Check the user and password in WAYBILL_REDIS_URL.', {
      cause: error,
    });
  }
  if (isNodeOfCluster(await clusterFacts(redis))) {
    throw new SetupError(`WAYBILL_REDIS_URL: ${nodeOfCluster.says} ${nodeOfCluster.remedy}`);
  }
}

/** Nothing for a user who may not call INFO, which only this check needs. */
async function clusterFacts(redis: Redis): Promise<Readonly<Record<string, string>>> {
  try {
    return await readFacts(redis, 'cluster');
  } catch (error) {
    if (!isRefusal(error)) throw findReason(redis, error);
    return {};
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof ReplyError && /^(?:NOAUTH|WRONGPASS|NOPERM)/.test((error as Error).message);
}

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
