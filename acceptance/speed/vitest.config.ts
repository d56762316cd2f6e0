import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/** Timings; need an otherwise idle machine. `npm run lab -- speed` */
const config = mergeConfig(acceptance, { test: { name: 'speed' } });
config['test'].include = ['acceptance/speed/**/*.test.ts'];
export default config;
