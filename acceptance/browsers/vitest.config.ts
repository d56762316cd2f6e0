import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/** The pages in Chromium, Firefox ESR and WebKit. `npm run lab -- browsers` */
const config = mergeConfig(acceptance, { test: { name: 'browsers', testTimeout: 180_000 } });
config['test'].include = ['acceptance/browsers/**/*.test.ts'];
export default config;
