import { sql } from 'kysely';

/** For a query's `people`. */
export const personColumns = [
  'people.id',
  'people.email',
  'people.name',
  'people.language',
  'people.time_zone as timeZone',
  'people.has_shortcuts as hasShortcuts',
  'people.handle',
  'people.is_administrator as isAdministrator',
  'people.created_at as createdAt',
  sql<boolean>`people.disabled_at is not null`.as('disabled'),
] as const;
