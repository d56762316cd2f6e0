import { inject } from 'vitest';
import type { Demo } from './demo.ts';

/** The demo this test file runs against. */
export function demo(): Demo {
  return inject('demo');
}
