// Sends the audit of a database to the targets of a test, until it is killed.
// Arguments: the database's URL, and the settings of the targets in JSON.
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { type AuditTargetConfig, openAuditTargets } from '../src/assemble/assemble-audit-targets.ts';
import { forwardAudit } from '../src/domain/audit/forward-audit.ts';
import { repeat } from '../src/domain/flow/repeat.ts';
import { jobDeadlines, openDatabase, openPool } from '../src/engines/postgres/database.ts';
import { postgresStore } from '../src/engines/postgres/store.ts';

const [url = '', settings = '{}'] = process.argv.slice(2);
const pool = openPool({ url, connections: 2, deadlines: jobDeadlines, onError: () => undefined });
const engines = {
  store: postgresStore(openDatabase(pool)),
  random: { bytes: randomBytes, uuid: randomUUIDv7 },
  logger: { warn: () => undefined, info: () => undefined },
};
for (const [name, target] of openAuditTargets(JSON.parse(settings) as AuditTargetConfig)) {
  repeat((signal) => forwardAudit(engines, name, target, signal), { everyMs: 100, onFailure: () => undefined });
}
