import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/** The metrics, dashboard and alerts with a real Prometheus. `npm run lab -- monitoring` */
const config = mergeConfig(acceptance, { test: { name: 'monitoring', testTimeout: 120_000 } });
config['test'].include = ['acceptance/monitoring/**/*.test.ts'];
export default config;
