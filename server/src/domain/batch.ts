/**
 * How much one statement of a sweep does: it handles up to `owners` drops or drafts, and up to `rows` rows of each
 * kind.
 */
export interface BatchSize {
  readonly owners: number;
  readonly rows: number;
}

export interface Batch {
  readonly rows: number;
  /** There may be more to do. */
  readonly more: boolean;
}

/** `rows` keeps a statement short when drops have many files, `owners` when they have few. */
export const batchSize: BatchSize = { owners: 100, rows: 1000 };
