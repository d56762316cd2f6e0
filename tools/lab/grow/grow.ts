import { parseArgs } from 'node:util';
import pg from 'pg';
import { fill } from './fill.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string' },
    drops: { type: 'string', default: '10000000' },
    largest: { type: 'string' },
  },
});
const drops = Number(options.drops);
if (!options.database || !options.largest || !(drops > 0)) {
  process.stderr.write('grow: needs --database and --largest; see npm run lab -- grow --help\n');
  process.exit(64);
}

const pool = new pg.Pool({ connectionString: options.database, max: 2 });
const since = performance.now();
try {
  await fill(pool, {
    drops,
    largest: options.largest,
    progress: (filled) => {
      const seconds = Math.round((performance.now() - since) / 1000);
      process.stderr.write(`\r${filled} of ${drops} drops, ${seconds} s `);
    },
  });
  process.stderr.write('\n');
} catch (error) {
  process.stderr.write(`grow: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  await pool.end();
}
