import { sql } from 'kysely';
import type { SecondFactor } from '../../../domain/policy.ts';

/** For a query's `accounts`: the name that people know the account by, or its address if it has none. */
export const shownName = sql<string>`coalesce(nullif(accounts.display_name, ''), accounts.email)`;

/** For a query's `accounts`: the second factor that the account or its group requires now; null: neither says. */
export const secondFactorRule = sql<SecondFactor | null>`coalesce(accounts.second_factor,
  case when accounts.test_of is null
    then (select groups.second_factor from groups where groups.id = accounts.group_id)
    else (
      select coalesce(live.second_factor, groups.second_factor)
      from accounts as live left join groups on groups.id = live.group_id where live.id = accounts.test_of
    ) end)`;
