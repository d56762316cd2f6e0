import { createAccount } from '../accounts.ts';
import { Client } from '../http/client.ts';
import { type AdminResult, admin } from './admin.ts';
import { type OwnProcess, type OwnServe, ownServe, ownWorker } from './own-serve.ts';
import { type OwnStorage, ownStorage } from './own-storage.ts';

/**
 * A Waybill with its own database and bucket, on the demo's engines or on others. Only its own workers run its jobs;
 * they can be made to fail, and its clock can be moved.
 */
export interface OwnExchange extends OwnStorage {
  /** The URL of its first `serve` process. */
  readonly baseUrl: string;
  readonly first: OwnServe;
  /** Every process that was ever started, so that a checker can examine its output and how it ended. */
  readonly processes: readonly OwnProcess[];
  client(label: string): Promise<Client>;
  serve(overrides?: Record<string, string>): Promise<OwnServe>;
  work(overrides?: Record<string, string>): Promise<OwnProcess>;
  /** Stops the workers that were started and not yet stopped. */
  rest(): Promise<void>;
  /** An administration command. */
  admin(...command: string[]): Promise<AdminResult>;
}

export interface OwnExchangeOptions {
  /** For every process: addresses of engines, limits. */
  readonly settings?: Record<string, string>;
  /** A PostgreSQL server other than the demo's. */
  readonly databaseServer?: string;
  /** A proxy in front of it, for everyone but the checker. */
  readonly through?: (url: string) => string;
}

export async function ownExchange({
  settings = {},
  databaseServer,
  through = (url) => url,
}: OwnExchangeOptions = {}): Promise<OwnExchange> {
  // Administration commands bypass the faults: what they prepare and clean up is not under test.
  const plain = settings['WAYBILL_SCAN'] === undefined ? {} : { WAYBILL_SCAN: settings['WAYBILL_SCAN'] };
  const storage = await ownStorage({ databaseServer, settings: plain });
  const own = { ...storage.settings, WAYBILL_DATABASE_URL: through(storage.databaseUrl), ...settings };
  const first = await ownServe(own);
  const processes: OwnProcess[] = [first];
  const workers: OwnProcess[] = [];

  return {
    ...storage,
    baseUrl: first.baseUrl,
    first,
    processes,
    client: async (label) =>
      new Client(await createAccount(label, undefined, storage.databaseUrl), { baseUrl: first.baseUrl }),
    async serve(overrides = {}) {
      const serve = await ownServe({ ...own, ...overrides });
      processes.push(serve);
      return serve;
    },
    async work(overrides = {}) {
      const worker = await ownWorker({ ...own, ...overrides });
      processes.push(worker);
      workers.push(worker);
      return worker;
    },
    rest: async () => {
      await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    },
    admin: (...command) => admin(command, '', { ...storage.settings, ...plain }),
    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((process) => process.stop()));
      await storage[Symbol.asyncDispose]();
    },
  };
}
