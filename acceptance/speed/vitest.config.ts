import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/** Timings, for a machine that does nothing else. `npm run speed` */
const config = mergeConfig(acceptance, { test: { name: 'speed' } });
config['test'].include = ['acceptance/speed/**/*.test.ts'];
export default config;
