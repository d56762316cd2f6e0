import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { localNameKey } from '../../generated/safe-name.ts';
import { makeFolder } from '../../transfer/make-folder.ts';
import { openExclusively } from '../exclusive-database.ts';

/**
 * The state of a file. `wanted`: known, and perhaps partly downloaded. `placing`: complete and checked, about to get
 * its name (see place-file.ts). `placed`: in the folder, but its hook has not succeeded yet. `done`. `gone`: it expired
 * before it was downloaded.
 */
export type FileState = 'wanted' | 'placing' | 'placed' | 'done' | 'gone';

export interface JournalEntry {
  id: number;
  /** The id of its entry in the inbox. */
  url: string;
  /** The path of the file as it was sent. */
  name: string;
  sender: string;
  state: FileState;
  /** Relative to the folder, with `/` between its names. */
  path: string | null;
  sha256: string | null;
  size: number | null;
}

/** Ended drops leave the inbox; files that were not in it for this long do not return. */
const retentionDays = 400;

const schema = `
  create table if not exists files (
    id integer primary key,
    account text not null,
    url text not null,
    name text not null,
    sender text not null,
    created integer not null,
    state text not null,
    path text,
    name_key text,
    sha256 text,
    size integer,
    attempts integer not null default 0,
    seen_day integer not null,
    unique (account, url, name)
  ) strict;
  create table if not exists claims (account text primary key, key text not null) strict;
`;
/** The journal of an earlier version does not have this column. */
const addNameKeyColumn = 'alter table files add column name_key text';
const createNameKeyIndex = 'create index if not exists files_name_key on files (name_key) where name_key is not null';

/** Records in a folder which files have been downloaded to it. One process holds it while it runs. */
export class PullJournal implements Disposable {
  readonly folder: string;
  readonly #database: DatabaseSync;
  readonly #account: string;

  private constructor(folder: string, database: DatabaseSync, account: string) {
    this.folder = folder;
    this.#database = database;
    this.#account = account;
  }

  /** Returns undefined while another process holds the lock. */
  static async open(folder: string, account: string): Promise<PullJournal | undefined> {
    const own = join(folder, '.waybill');
    await makeFolder(own, 0o700);
    const database = await openExclusively(join(own, 'pull.db'));
    if (database === undefined) return undefined;
    try {
      database.exec(schema);
      const columns = database.prepare(`select name from pragma_table_info('files')`).all();
      if (!columns.some(({ name }) => name === 'name_key')) database.exec(addNameKeyColumn);
      database.exec(createNameKeyIndex);
    } catch (error) {
      database.close();
      throw error;
    }
    return new PullJournal(own, database, account);
  }

  /** Records a file of the inbox. */
  recordFile(entry: { url: string; name: string; sender: string; created: number }, day: number): void {
    this.#database
      .prepare(
        `insert into files (account, url, name, sender, created, state, seen_day) values (?, ?, ?, ?, ?, 'wanted', ?)
         on conflict (account, url, name) do update set seen_day = excluded.seen_day where seen_day <> excluded.seen_day`,
      )
      .run(this.#account, entry.url, entry.name, entry.sender, entry.created, day);
  }

  /** Makes several changes in one transaction. */
  transaction(change: () => void): void {
    this.#database.exec('begin');
    try {
      change();
      this.#database.exec('commit');
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }

  /** Lists the files of an entry. */
  listFiles(url: string): JournalEntry[] {
    return this.#database
      .prepare(
        `select id, url, name, sender, state, path, sha256, size from files where account = ? and url = ? order by id`,
      )
      .all(this.#account, url) as unknown as JournalEntry[];
  }

  /** Returns the key of a claim whose entry is not settled yet. */
  findClaim(): string | undefined {
    const row = this.#database.prepare('select key from claims where account = ?').get(this.#account);
    return row === undefined ? undefined : String(row['key']);
  }

  /** Records a claim before it is made, so that its entry can be found again after a crash. */
  beginClaim(key: string): void {
    this.#database.prepare('insert or replace into claims (account, key) values (?, ?)').run(this.#account, key);
  }

  endClaim(key: string): void {
    this.#database.prepare('delete from claims where account = ? and key = ?').run(this.#account, key);
  }

  recordPlacing(id: number, path: string, { sha256, size }: { sha256: string; size: number }): void {
    this.#database
      .prepare(`update files set state = 'placing', path = ?, name_key = ?, sha256 = ?, size = ? where id = ?`)
      .run(path, localNameKey(path), sha256, size, id);
  }

  /** Returns the paths of placed files that count as equal to this one. The files may have been moved since. */
  findSimilarPaths(path: string): string[] {
    const rows = this.#database.prepare('select distinct path from files where name_key = ?').all(localNameKey(path));
    return rows.map((row) => String(row['path']));
  }

  setState(id: number, state: FileState): void {
    this.#database.prepare('update files set state = ? where id = ?').run(state, id);
  }

  purge(day: number): void {
    this.#database
      .prepare('delete from files where account = ? and seen_day < ?')
      .run(this.#account, day - retentionDays);
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}
