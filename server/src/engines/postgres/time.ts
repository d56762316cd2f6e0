import { sql } from 'kysely';

/** By the database's clock, which is authoritative. */
export const secondsFromNow = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`;
