import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/** Every operation with few drops and with many; needs an otherwise idle machine. `npm run lab -- growth` */
const config = mergeConfig(acceptance, { test: { name: 'growth' } });
config['test'].include = ['acceptance/growth/**/*.test.ts'];
export default config;
