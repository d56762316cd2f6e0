import { type Redis, ReplyError } from 'ioredis';
import { SetupError } from '../../domain/setup-error.ts';

/** Throws when the server is out of reach, and a SetupError when it answers and refuses us. */
export async function checkValkey(redis: Redis): Promise<void> {
  try {
    await redis.ping();
  } catch (error) {
    if (!(error instanceof ReplyError) || !/^(?:NOAUTH|WRONGPASS|NOPERM)/.test((error as Error).message)) throw error;
    throw new SetupError('Valkey or Redis refuses our credentials. Check the user and password in WAYBILL_REDIS_URL.', {
      cause: error,
    });
  }
}
