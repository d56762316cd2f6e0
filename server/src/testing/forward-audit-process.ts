// Sends the audit of a database to the targets of a test, until it is killed.
// Arguments: the database's URL, and the settings of the targets in JSON.
import { randomBytes, randomUUIDv7 } from 'node:crypto';
import { type AuditTargetConfig, openAuditTargets } from '../assemble-audit-targets.ts';
import { forwardAudit } from '../domain/audit/forward-audit.ts';
import { repeat } from '../domain/flow/repeat.ts';
import { jobDeadlines, openDatabase, openPool } from '../engines/postgres/database.ts';
import { postgresStore } from '../engines/postgres/store.ts';

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
