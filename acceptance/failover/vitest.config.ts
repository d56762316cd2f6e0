import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/** On a PostgreSQL under Patroni. `npm run lab -- failover-test` */
const config = mergeConfig(acceptance, { test: { name: 'failover', hookTimeout: 400_000 } });
config['test'].include = ['acceptance/failover/**/*.test.ts'];
export default config;
