/** Everything that a Waybill needs to start on this machine's engines: an empty database, and accounts. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The database is empty, whatever was there before. */
export async function recreateDatabase(name: string): Promise<void> {
  await dropDatabase(name);
  await psql(`create database ${name}`);
}

export async function dropDatabase(name: string): Promise<void> {
  await psql(`drop database if exists ${name} with (force)`);
}

/** How many sessions are open in the database; 0 if there is no such database. */
export async function countSessions(name: string): Promise<number> {
  return Number(await psql(`select count(*) from pg_stat_activity where datname = '${name}'`));
}

/** Uses the program at `waybilld`, with its settings. */
export async function createAccount(
  { waybilld, environment }: { waybilld: string; environment: Record<string, string> },
  { email, number }: { email: string; number: string },
): Promise<{ user: string; api_key: string }> {
  const args = [waybilld, 'admin', 'accounts', 'create', '--email', email, '--phone', number, '--json'];
  const { stdout } = await run(process.execPath, args, { env: { PATH: process.env['PATH'] ?? '', ...environment } });
  return { user: email, api_key: (JSON.parse(stdout) as { api_key: string }).api_key };
}

async function psql(statement: string): Promise<string> {
  const { stdout } = await run('psql', ['-Atqh', '127.0.0.1', '-p', '5544', '-U', 'postgres', '-c', statement]);
  return stdout.trim();
}
