/**
 * Compares what every operation declares to record with what the tests have shown, which they note in the file that
 * WAYBILL_TEST_AUDIT_FILE names. Run it with `node tools/check/audit-coverage.ts FILE` after all tests.
 */
import { readFileSync } from 'node:fs';
import { listDeclared } from '../../server/test/audited-operations.ts';

const shown = new Set(readFileSync(process.argv[2] ?? '', 'utf8').split('\n'));
const declared = listDeclared();
const missing = declared.filter((record) => !shown.has(record));
process.stdout.write(
  `${declared.length - missing.length} of ${declared.length} declared records were written in tests\n`,
);
for (const record of missing) process.stderr.write(`no test shows that it is recorded: ${record}\n`);
process.exitCode = missing.length === 0 ? 0 : 1;
