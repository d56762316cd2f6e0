import { sql } from 'kysely';
import type { SecondFactor, SharedLinks } from '../../../domain/policy.ts';

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

/** For a query's `accounts`: the strictest of what the account and its group say about shared links; null: neither does. */
export const sharedLinksRule = sql<SharedLinks | null>`least(accounts.shared_links,
  (select groups.shared_links from groups where groups.id = accounts.group_id), (
    select least(live.shared_links, groups.shared_links)
    from accounts as live left join groups on groups.id = live.group_id where live.id = accounts.test_of
  ))`;

/** For a query's `accounts`: whether the account or its group may send to certain domains only. */
export const isLimitedToDomains = sql<boolean>`(accounts.receiver_domains is not null or exists (
  select from groups where groups.id = accounts.group_id and groups.receiver_domains is not null))`;
