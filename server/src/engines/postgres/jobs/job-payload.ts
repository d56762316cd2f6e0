import { type RawBuilder, sql } from 'kysely';

/** Names the trace that the caller is in, if it is in one. */
export type Traceparent = () => string | undefined;

/** When a job runs, and what becomes of one that is already set under its key. */
export type Schedule = [at?: RawBuilder<unknown>, keyMode?: 'replace' | 'preserve_run_at'];

/** A job continues the trace of the request that enqueued it. */
export function jobPayload(fields: RawBuilder<unknown>, traceparent: string | undefined): RawBuilder<unknown> {
  return sql`json_strip_nulls(json_build_object(${fields}, 'traceparent', ${traceparent ?? null}::text))`;
}
