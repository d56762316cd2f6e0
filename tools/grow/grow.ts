import { parseArgs } from 'node:util';
import pg from 'pg';
import { fill } from './fill.ts';

const { values: options } = parseArgs({
  options: {
    database: { type: 'string' },
    drops: { type: 'string', default: '10000000' },
    largest: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const drops = Number(options.drops);
if (options.help || !options.database || !options.largest || !(drops > 0)) {
  const text = `Usage: npm run grow -- --database URL --largest EMAIL [--drops N]

Fills a database with N drops (default 10000000), five links, three files and two messages each, over one account for
every 500 of them. A tenth belongs to the account EMAIL, which must exist. A million need 3.7 GB of disk. When it is
broken off, the same command continues. Only for databases that are thrown away afterwards.
`;
  (options.help ? process.stdout : process.stderr).write(text);
  process.exit(options.help ? 0 : 64);
}

const pool = new pg.Pool({ connectionString: options.database, max: 1 });
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
