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

Fills a database with N drops (default: 10000000) with five links, three files and two messages each, and one account for
every 500 drops. A tenth of them belongs to the account EMAIL, which must exist. A million drops need 3.1 GB of disk space.
If it is interrupted, run the same command to continue. Use only a database that you can delete afterwards: while many
drops are written, the large tables have no indexes, and references between them are not checked.
`;
  (options.help ? process.stdout : process.stderr).write(text);
  process.exit(options.help ? 0 : 64);
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
