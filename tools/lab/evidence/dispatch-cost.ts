import { randomBytes, randomUUID } from 'node:crypto';
import { assemble } from '../../../server/src/assemble/assemble.ts';
import { readConfig } from '../../../server/src/config/config.ts';
import { createAccount } from '../../../server/src/domain/accounts/change-account.ts';
import { commandAuthor } from '../../../server/src/domain/audit/author.ts';
import type { Store } from '../../../server/src/domain/store.ts';
import { paceLimits } from '../../../server/src/http/server/slow-peers.ts';
import { buildServer } from '../../../server/src/services/build-server.ts';
import { silentLog } from '../../../server/test/silent-log.ts';
import { deleteBucket } from '../../demo/bucket.ts';
import { engineEnvironment } from '../../demo/environment.ts';
import { dropDatabase, recreateDatabase } from '../../demo/fresh.ts';

type Assembly = ReturnType<typeof assemble>;
export type Contender = 'evidence' | 'none';
/** In milliseconds: all requests of each dispatch, and the last of them, which dispatches. */
export type Times = Readonly<Record<'all' | 'last', number[]>>;

const database = 'waybill_evidence_cost';
const bucket = 'waybill-evidence-cost';
const publicUrl = 'http://127.0.0.1:8080';
const user = 'sender@example.org';
const warmUpRounds = 50;

/**
 * Sends drops in turn through two servers on the same engines, of which one writes no evidence, by the requests of
 * docs/api.md. The times are those of the servers, from a request to the end of its response.
 */
export async function measureDispatches(
  rounds: number,
  sizes: { readonly receivers: number; readonly files: number },
): Promise<Record<Contender, Times>> {
  await recreateDatabase(database);
  const config = readConfig({
    ...engineEnvironment(publicUrl),
    WAYBILL_DATABASE_URL: `postgres://postgres@127.0.0.1:5544/${database}`,
    WAYBILL_S3_BUCKET: bucket,
    WAYBILL_SCAN: 'off',
  });
  const engines = assemble(config, silentLog, 'serve');
  await engines.createBucket();
  await engines.migrate();
  const administrator = commandAuthor({ user: 'lab' });
  const { apiKey } = await createAccount(
    { ...engines, administrator },
    { email: user, phone: '46701234567', type: 'api' },
  );
  const drop = {
    receivers: Array.from({ length: sizes.receivers }, (_, place) => ({ email: `receiver${place}@example.net` })),
    files: sizes.files,
  };
  const senders: Record<Contender, Sender> = {
    evidence: await startSender(engines, engines.store, apiKey),
    none: await startSender(engines, withoutEvidence(engines.store), apiKey),
  };
  await senders.none.addContacts(drop.receivers);
  const times = { evidence: { all: [], last: [] } as Times, none: { all: [], last: [] } as Times };
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    // Which of them comes first changes with every round.
    for (const name of round % 2 === 0 ? (['evidence', 'none'] as const) : (['none', 'evidence'] as const)) {
      const elapsed = await senders[name].dispatch(drop);
      if (round < 0) continue;
      times[name].all.push(elapsed.reduce((sum, one) => sum + one, 0));
      times[name].last.push(elapsed.at(-1) ?? 0);
    }
  }
  for (const sender of Object.values(senders)) await sender.close();
  await engines.close();
  await dropDatabase(database);
  await deleteBucket(bucket);
  return times;
}

const withoutEvidence = (store: Store): Store => ({
  ...store,
  transaction: (work) =>
    store.transaction((tx) => work({ ...tx, evidence: { ...tx.evidence, append: async () => undefined } })),
});

type Receivers = readonly { readonly email: string }[];

interface Sender {
  addContacts(contacts: Receivers): Promise<void>;
  /** Returns the milliseconds of its requests. */
  dispatch(drop: { readonly receivers: Receivers; readonly files: number }): Promise<number[]>;
  close(): Promise<void>;
}

/** Starts a server with this store, and returns a client of it. */
async function startSender(engines: Assembly, store: Store, apiKey: string): Promise<Sender> {
  const { translator, operator } = engines;
  const assets = { href: (source: string) => source, files: new Map() };
  const server = buildServer(
    { ...engines, store },
    {
      log: silentLog,
      makeRequestId: randomUUID,
      publicUrl,
      allowedHosts: [],
      trustedProxies: [],
      paceLimits,
      pages: { translator, operator, assets, secureCookies: false },
    },
  );
  let served = Promise.withResolvers<number>();
  server.addHook('onResponse', async (_, reply) => served.resolve(reply.elapsedTime));
  const address = await server.listen({ host: '127.0.0.1', port: 0 });
  const authorization = `Basic ${Buffer.from(`${user}:${apiKey}`).toString('base64')}`;
  let csrfToken = '';
  const call = async (path: string, body?: string | FormData) => {
    served = Promise.withResolvers();
    const response = await fetch(`${address}/${user}/${path}`, {
      headers: {
        authorization,
        'csrf-token': csrfToken,
        ...(typeof body === 'string' && { 'content-type': 'application/json' }),
      },
      ...(body && { method: 'POST', body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
    csrfToken ||= /name="csrftoken" value="([^"]+)"/.exec(text)?.[1] ?? '';
    return await served.promise;
  };
  await call('');
  return {
    async addContacts(contacts) {
      await call('cgi/contacts_add.cgi', JSON.stringify(contacts));
    },
    async dispatch({ receivers, files }) {
      const elapsed = [await call('cgi/receivers_set.cgi', JSON.stringify(receivers)), await call('cgi/get_files.cgi')];
      for (let place = 0; place < files; place += 1) elapsed.push(await call('cgi/upload.cgi', makeUpload(place)));
      elapsed.push(await call('cgi/createdrop.cgi', JSON.stringify({ ddmessage: randomUUID() })));
      return elapsed;
    },
    close: () => server.close(),
  };
}

function makeUpload(place: number): FormData {
  const form = new FormData();
  form.append('do', 'upload');
  form.append('file', new Blob([randomBytes(1000)]), `file ${place}.txt`);
  return form;
}
