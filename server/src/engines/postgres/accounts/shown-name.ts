import { sql } from 'kysely';

/** For a query's `accounts`: the name that people know the account by, or its address if it has none. */
export const shownName = sql<string>`coalesce(nullif(accounts.display_name, ''), accounts.email)`;
