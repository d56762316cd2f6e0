import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/**
 * This version alongside the previous one: needs the repository's history, and builds that version. `npm run
 * mixed-versions`
 */
const config = mergeConfig(acceptance, { test: { name: 'mixed-versions' } });
config['test'].include = ['acceptance/mixed-versions/**/*.test.ts'];
export default config;
