/**
 * How much one statement of a sweep does: it handles up to `owners` drops or drafts, and up to `rows` rows of each
 * kind.
 */
export interface BatchSize {
  readonly owners: number;
  readonly rows: number;
}

/** Where the next batch goes on: behind the rows that this one left because of a legal hold. Only the store reads it. */
export type BatchPosition = readonly string[];

export interface Batch {
  readonly rows: number;
  /** There may be more to do. */
  readonly more: boolean;
  /** Undefined: the next batch begins at the front. */
  readonly next?: BatchPosition | undefined;
}

/** `rows` keeps a statement short when drops have many files, `owners` when they have few. */
export const batchSize: BatchSize = { owners: 100, rows: 1000 };

/** Files in the order of their keys. */
export interface FilePosition {
  readonly accountId: string;
  readonly id: string;
}

export interface PagePosition {
  readonly createdAt: string;
  readonly id: string;
}
