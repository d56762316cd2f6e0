import { mergeConfig } from 'vitest/config';
import acceptance from '../vitest.config.ts';

/** On a Ceph cluster of three OSDs. `npm run lab -- cluster-faults` */
const config = mergeConfig(acceptance, { test: { name: 'cluster' } });
config['test'].include = ['acceptance/cluster/**/*.test.ts'];
export default config;
