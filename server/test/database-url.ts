import { requireKind } from '../../tools/test/require-kind.ts';

requireKind('postgres');

/** A database that tests connect to in order to create their own; the role must be allowed to create databases. */
export const databaseUrl = process.env['WAYBILL_TEST_DATABASE_URL'] || 'postgres://postgres@127.0.0.1:5544/postgres';

/** The URL of another database on the same server. */
export function urlOfDatabase(name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}
