import { createHash, randomBytes } from 'node:crypto';
import { type Client, succeeded } from '../lib/http/client.ts';
import { introduce, stage } from '../lib/scenario.ts';
import type { OwnStorage } from '../lib/servers/own-storage.ts';

const filesPerDrop = 10;
/** Each account has this many, in drops of ten; the first one's are uploaded. */
const filesPerAccount = 100;

interface StoredFile {
  readonly entry: string;
  readonly name: string;
  readonly sha256: string;
}

/**
 * Uploads the files of one account, and copies the rows to others in SQL: through the API it would take hours. The
 * copies share their objects, and each has a wrapped key of its own.
 */
export async function storeFiles(
  storage: OwnStorage,
  sender: Client,
  receiver: Client,
  count: number,
): Promise<Reader> {
  await introduce(sender, [receiver.user]);
  for (let drop = 0; drop < filesPerAccount / filesPerDrop; drop += 1) {
    const client = sender.inDraft(`${drop}`);
    await stage(client, { to: [receiver.user], files: [] });
    const files = Array.from({ length: filesPerDrop }, (_, number) => ({
      name: `${drop}-${number}.bin`,
      content: randomBytes(100),
    }));
    succeeded(await client.upload(...files));
    succeeded(await client.createDrop({ ddmessage: `message ${drop}`, desttime: 500_000 }));
  }
  const [entry] = (await receiver.readHistory()).inbox;
  if (!entry) throw new Error('nothing has arrived');
  await storage.query(`create table copies as
    select gen_random_uuid() as id, accounts.id as of_id
    from accounts, generate_series(2, ${count / filesPerAccount}) where accounts.email = '${sender.user}'`);
  const copy = (table: string, owner: string, changes: string) =>
    storage.query(`insert into ${table} select copied.* from copies join ${table} as original on ${owner} = of_id,
      jsonb_populate_record(original, jsonb_build_object(${changes})) as copied`);
  await copy('accounts', 'original.id', `'id', copies.id, 'email', copies.id || '@example.org'`);
  await copy('drops', 'account_id', `'account_id', copies.id`);
  await copy('links', 'account_id', `'account_id', copies.id, 'token_digest', '\\x' || md5(random()::text)`);
  await copy('files', 'account_id', `'account_id', copies.id`);
  await copy('inbox_entries', 'sender_account_id', `'id', gen_random_uuid(), 'sender_account_id', copies.id`);
  const stored = await storage.query<StoredFile>(
    `select inbox_entries.id as entry, name, encode(sha256, 'hex') as sha256 from inbox_entries
     join files on files.account_id = sender_account_id and files.drop_id = inbox_entries.drop_id`,
  );
  if (stored.length !== count) throw new Error(`${stored.length} files are stored instead of ${count}`);
  return new Reader(receiver, entry.url, stored);
}

/** Downloads one stored file after another, and expects its bytes. */
export class Reader implements AsyncDisposable {
  readonly #client: Client;
  readonly #url: string;
  readonly #stored: readonly StoredFile[];
  readonly #over = new AbortController();
  #reading: Promise<void> = Promise.resolve();
  readonly failures: string[] = [];
  count = 0;

  constructor(client: Client, url: string, stored: readonly StoredFile[]) {
    this.#client = client.impatient();
    this.#url = url;
    this.#stored = stored;
  }

  start(): void {
    this.#reading = this.#readAll();
  }

  async #readAll(): Promise<void> {
    // Not in the order of the rotation: a step that is prime to the number of files comes to all of them.
    for (let index = 0; !this.#over.signal.aborted; index = (index + 7919) % this.#stored.length) {
      const problem = await this.#read(this.#stored[index] as StoredFile);
      this.count += 1;
      if (problem !== undefined) this.failures.push(problem);
    }
  }

  async #read({ entry, name, sha256 }: StoredFile): Promise<string | undefined> {
    const url = this.#url.replace(/[0-9a-f-]{36}/, entry);
    const response = await this.#client.download(url, name).catch((error: Error) => error);
    if (response instanceof Error) return `${name}: ${response.message}`;
    if (response.status !== 200) return `${name}: ${response.status} ${response.body.toString()}`;
    return createHash('sha256').update(response.body).digest('hex') === sha256 ? undefined : `${name}: other bytes`;
  }

  /** Reads this many, evenly spread over all of them; returns what is wrong. */
  async readSample(count: number): Promise<string[]> {
    const step = Math.max(1, Math.floor(this.#stored.length / count));
    const problems: string[] = [];
    for (let index = 0; index < this.#stored.length; index += step) {
      const problem = await this.#read(this.#stored[index] as StoredFile);
      if (problem !== undefined) problems.push(problem);
    }
    return problems;
  }

  async end(): Promise<void> {
    this.#over.abort();
    await this.#reading;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end().catch(() => undefined);
  }
}
