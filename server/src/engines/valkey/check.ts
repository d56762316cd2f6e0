import { type Redis, ReplyError } from 'ioredis';
import { SetupError } from '../../domain/setup-error.ts';
import { findReason } from './connect.ts';
import { isNodeOfCluster, nodeOfCluster, readFacts } from './facts.ts';

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
