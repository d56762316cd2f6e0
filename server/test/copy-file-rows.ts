import type { TestExchange } from './exchange.ts';

/** Inserts the rows of `files` that a query makes of others. Columns that PostgreSQL computes cannot be inserted. */
export async function copyFileRows(
  { database }: TestExchange,
  rows: string,
  parameters: readonly unknown[],
): Promise<void> {
  const stored = await database.query<{ name: string }>(
    `select quote_ident(column_name) as name from information_schema.columns
     where table_schema = current_schema() and table_name = 'files' and is_generated = 'NEVER'`,
  );
  const columns = stored.map(({ name }) => name).join(', ');
  await database.query(`insert into files (${columns}) select ${columns} from (${rows}) as copied`, [...parameters]);
}
