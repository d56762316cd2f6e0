import { type RawBuilder, sql } from 'kysely';

/** Names the trace that the caller is in, if it is in one. */
export type Traceparent = () => string | undefined;

/** When a job runs, and what becomes of one that is already set under its key. */
export type Schedule = [at?: RawBuilder<unknown>, keyMode?: 'replace' | 'preserve_run_at'];

/**
 * How often a job is tried, seconds apart, if the database failed it. The failure of another system is not one of the job:
 * what it works on has attempts of its own.
 */
export const jobAttempts = sql.lit(4);

/** A job continues the trace of the request that enqueued it. */
export function jobPayload(fields: RawBuilder<unknown>, traceparent: string | undefined): RawBuilder<unknown> {
  return sql`json_strip_nulls(json_build_object(${fields}, 'traceparent', ${traceparent ?? null}::text))`;
}
