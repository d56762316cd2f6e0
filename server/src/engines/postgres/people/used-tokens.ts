import type { UsedTokenStore } from '../../../domain/people/used-token-store.ts';
import type { Database } from '../database.ts';
import { secondsFromNow } from '../time.ts';
import { purgeExpired } from './purge-expired.ts';

export function usedTokenStore(db: Database): UsedTokenStore {
  return {
    async use(digest, seconds) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('used_tokens')
        .values({ digest, expires_at: secondsFromNow(seconds) })
        .onConflict((conflict) => conflict.column('digest').doNothing())
        .executeTakeFirstOrThrow();
      return numInsertedOrUpdatedRows === 1n;
    },

    purge: (count) => purgeExpired(db, 'used_tokens', 'digest', count),
  };
}
