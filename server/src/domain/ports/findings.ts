/** What an examination found: for programs `check` and `status`, for the operator what was seen and what to do. */
export type Finding = {
  /** What was examined, such as `s3.bucket`. */
  readonly check: string;
  readonly says: string;
} & (
  | { readonly status: 'ok' | 'skipped'; readonly remedy?: never }
  /** A warning works today and may fail later; with a fault, something does not work. */
  | { readonly status: 'warning' | 'fault'; readonly remedy: string }
);

/**
 * Examines one engine, as far as it gets: what an unreachable engine would have shown is left out. Reads the settings,
 * not the adapters, so that it also works with an engine that the program would not start with.
 */
export type Examine = () => AsyncIterable<Finding>;
