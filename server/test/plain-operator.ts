import type { Operator } from '../src/present/operator.ts';

/** Waybill without an operator's own settings. */
export const plainOperator: Operator = { name: 'Waybill' };
