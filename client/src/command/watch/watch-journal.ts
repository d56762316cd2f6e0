import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { NewDrop } from '../../generated/wire.ts';
import { makeFolder } from '../../transfer/make-folder.ts';
import { openExclusively } from '../exclusive-database.ts';

/**
 * The state of a file. `claimed`: about to be moved to the folder of what is being sent, or there. `uploaded`: the server
 * has it, and a drop may have been created. `sent`: the drop exists. `refused`: it is not tried again.
 */
export type HeldState = 'claimed' | 'uploaded' | 'sent' | 'refused';

/** A file that was claimed and is not finished. */
export interface HeldFile {
  /** The name of its own folder, and the idempotency key of its drop. */
  id: string;
  /** The receiver's folder that it was in, or an empty text. */
  folder: string;
  name: string;
  /** The receivers and options of the drop, which stay the same in every attempt. */
  delivery: string;
  state: HeldState;
  /** Its content when it was claimed or last changed: see `FileLook`. */
  content: string;
  /** Whether a marker announced it. */
  marked: 0 | 1;
  /** Each upload has a key of its own, because a file may have changed since an earlier one. */
  round: number;
  attempts: number;
  nextAttemptAt: number;
  /** When a drop may have been created first. */
  keyUsedAt: number | null;
  upload: string | null;
  outcome: string | null;
}

export type DeliveryFields = Omit<NewDrop, 'uploads'>;

export interface NewHeldFile extends Pick<HeldFile, 'id' | 'folder' | 'name' | 'content' | 'marked'> {
  delivery: DeliveryFields;
}

const schema = `
  create table if not exists files (
    id text primary key,
    account text not null,
    folder text not null,
    name text not null,
    delivery text not null,
    state text not null,
    content text not null,
    marked integer not null,
    round integer not null default 1,
    attempts integer not null default 0,
    nextAttemptAt integer not null default 0,
    keyUsedAt integer,
    upload text,
    outcome text
  ) strict;
`;

/** Records the files that a watch has claimed, until they are finished. One process holds it while it runs. */
export class WatchJournal implements Disposable {
  readonly #database: DatabaseSync;
  readonly #account: string;

  private constructor(database: DatabaseSync, account: string) {
    this.#database = database;
    this.#account = account;
  }

  /** Returns undefined while another process holds the lock. */
  static async open(folder: string, account: string): Promise<WatchJournal | undefined> {
    const own = join(folder, '.waybill');
    await makeFolder(own, 0o700);
    const database = await openExclusively(join(own, 'watch.db'));
    if (database === undefined) return undefined;
    try {
      database.exec(schema);
    } catch (error) {
      database.close();
      throw error;
    }
    return new WatchJournal(database, account);
  }

  /** Returns another account for which files are unfinished: its keys say nothing to the server about this one. */
  findOtherAccount(): string | undefined {
    const row = this.#database.prepare('select account from files where account <> ? limit 1').get(this.#account);
    return row === undefined ? undefined : String(row['account']);
  }

  add({ id, folder, name, delivery, content, marked }: NewHeldFile): HeldFile {
    const { lastInsertRowid } = this.#database
      .prepare(
        `insert into files (id, account, folder, name, delivery, state, content, marked)
         values (?, ?, ?, ?, ?, 'claimed', ?, ?)`,
      )
      .run(id, this.#account, folder, name, JSON.stringify(delivery), content, marked);
    return this.#database.prepare('select * from files where rowid = ?').get(lastInsertRowid) as unknown as HeldFile;
  }

  /** Lists unfinished files in the order of their next attempts. There are at most `maxHeldFiles`. */
  list(): HeldFile[] {
    return this.#database.prepare('select * from files order by nextAttemptAt, rowid').all() as unknown as HeldFile[];
  }

  count(): number {
    return Number(this.#database.prepare('select count(*) as files from files').get()?.['files']);
  }

  has(id: string): boolean {
    return this.#database.prepare('select 1 from files where id = ?').get(id) !== undefined;
  }

  update(id: string, changes: Partial<Omit<HeldFile, 'id'>>): void {
    const columns = Object.keys(changes);
    this.#database
      .prepare(`update files set ${columns.map((column) => `${column} = ?`).join(', ')} where id = ?`)
      .run(...Object.values(changes), id);
  }

  delete(id: string): void {
    this.#database.prepare('delete from files where id = ?').run(id);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
