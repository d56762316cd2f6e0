import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/** The master key of many files, replaced under load: takes minutes. `npm run lab -- rotation-storm` */
const config = mergeConfig(acceptance, { test: { name: 'rotation' } });
config['test'].include = ['acceptance/rotation/**/*.test.ts'];
export default config;
