import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/** Every operation on few drops and on many, for a machine that does nothing else. `npm run growth` */
const config = mergeConfig(acceptance, { test: { name: 'growth' } });
config['test'].include = ['acceptance/growth/**/*.test.ts'];
export default config;
