/**
 * A program that works on the inbox of an account with others, until it is killed or asked to end. It writes a line for
 * each entry that it has handled. Its instructions come as JSON on the command line.
 */
import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type ClaimStore, type InboxClaim, Waybill } from '../../client/src/index.ts';

export interface WorkerOrders {
  baseUrl: string;
  user: string;
  apiKey: string;
  /** The file for the handled entries. */
  log: string;
  /** The file for claims. Without it, the entries of a killed worker wait until their leases end. */
  claims?: string;
}

/** Stores claims in a file, which is replaced at once: a worker may be killed at any time. */
function fileStore(path: string): ClaimStore {
  const list = () => (existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as InboxClaim[]) : []);
  const save = (claims: InboxClaim[]) => {
    writeFileSync(`${path}.new`, JSON.stringify(claims));
    renameSync(`${path}.new`, path);
  };
  return {
    list: async () => list(),
    begin: async (claim) => save([...list(), claim]),
    end: async ({ key }) => save(list().filter((claim) => claim.key !== key)),
  };
}

if (import.meta.main) {
  const { log, claims, ...account } = JSON.parse(process.argv[2] ?? '') as WorkerOrders;
  const stop = new AbortController();
  process.once('SIGTERM', () => stop.abort());
  const client = new Waybill(account);
  await client.inbox.work(
    async ({ id, attempts }) => {
      await pause(Math.random() * 50);
      appendFileSync(log, `${id} ${attempts}\n`);
    },
    {
      concurrency: 8,
      pollSeconds: 1,
      signal: stop.signal,
      onError: ({ error, outcome }) => process.stderr.write(`${outcome} ${String(error)}\n`),
      claimStore: claims === undefined ? undefined : fileStore(claims),
    },
  );
  client.close();
}
