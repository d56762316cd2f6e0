import { limits } from '@waybill/protocol';

/**
 * One more row than the largest page has, which shows whether there is another. Every page reads up to this many,
 * whatever its size: with the size in the statement, callers could have a hundred texts of each prepared.
 */
export const maxPageRows = limits.pageSize + 1;
