import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type SignedIn, signIn } from './client.ts';
import { startProgram } from './processes.ts';
import type { Release } from './release.ts';
import type { Result } from './report.ts';

const run = promisify(execFile);
const wrk = { connections: 32, seconds: 6 };
/** Only requests that change nothing, so that every round measures the same. */
const operations = ['contacts_read.cgi', 'get_files.cgi', 'get_history.cgi'];

export async function measureRequests(
  releases: readonly Release[],
  { rounds, progress }: { rounds: number; progress: (what: string) => void },
): Promise<Result[]> {
  const { databaseUrl, accounts } = releases[0] as Release;
  await using services = new AsyncDisposableStack();
  const clients = new Map<string, SignedIn>();
  for (const release of releases) {
    const { baseUrl } = services.use(await release.serve({}));
    clients.set(release.name, await signIn(baseUrl, release.accounts[0]));
  }
  const bareServer = join(import.meta.dirname, 'bare-server.ts');
  const bare = services.use(
    await startProgram(process.execPath, [bareServer, databaseUrl, accounts[0].user], { sign: 'http' }),
  );
  const results: Result[] = [];
  for (const operation of operations) {
    const rates: Record<string, number[]> = {};
    const note = async (name: string, measure: Promise<number>) => {
      const rate = await measure;
      (rates[name] ??= []).push(rate);
      progress(`${operation}, ${name}: ${rate.toFixed(0)} requests/s`);
    };
    for (let round = 0; round < rounds; round++) {
      if (operation === 'contacts_read.cgi') await note('bare route', requestsPerSecond(`${bare.line}/contacts`, []));
      for (const [name, client] of clients) {
        await note(name, requestsPerSecond(client.cgi(operation), client.headers));
      }
    }
    results.push({ name: operation, unit: 'requests/s', rates });
  }
  return results;
}

async function requestsPerSecond(url: string, headers: string[]): Promise<number> {
  const args = ['-t1', `-c${wrk.connections}`, `-d${wrk.seconds}s`];
  const { stdout } = await run('wrk', [...args, ...headers.flatMap((header) => ['-H', header]), url]);
  if (stdout.includes('Non-2xx')) throw new Error(`wrk met failures:\n${stdout}`);
  return Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
}
