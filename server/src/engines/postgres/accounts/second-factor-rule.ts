import { sql } from 'kysely';
import type { SecondFactor } from '../../../domain/policy.ts';

/** For a query's `accounts`: the second factor that the account or its group requires now; null: neither says. */
export const secondFactorRule = sql<SecondFactor | null>`coalesce(accounts.second_factor,
  (select groups.second_factor from groups where groups.id = accounts.group_id))`;
