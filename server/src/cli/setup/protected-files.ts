import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SetupError } from '../../domain/setup-error.ts';

/** The group of the services. */
const groupName = 'waybill';

/** Files that the services read through their group, and no one else; without that group, only this user. */
export class ProtectedFiles {
  /** The paths that were written, in order. */
  readonly written: string[] = [];
  readonly #group = process.getuid?.() === 0 ? groupId() : undefined;

  /** Undefined if there is none. */
  read(path: string): string | undefined {
    return explainFailure(path, () => (existsSync(path) ? readFileSync(path, 'utf8') : undefined));
  }

  /** Writes the file unless it has this content already. It is never seen half-written. */
  write(path: string, content: string): void {
    if (this.read(path) === content) return;
    explainFailure(path, () => {
      if (!existsSync(dirname(path))) {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        this.#share(dirname(path), 0o750);
      }
      const fresh = `${path}.new`;
      rmSync(fresh, { force: true });
      writeFileSync(fresh, content, { mode: 0o600, flag: 'wx' });
      this.#share(fresh, 0o640);
      renameSync(fresh, path);
    });
    this.written.push(path);
  }

  #share(path: string, mode: number): void {
    if (this.#group === undefined) return;
    chownSync(path, 0, this.#group);
    chmodSync(path, mode);
  }
}

function groupId(): number | undefined {
  const [, id] = new RegExp(`^${groupName}:[^:]*:(\\d+):`, 'm').exec(readFileSync('/etc/group', 'utf8')) ?? [];
  return id === undefined ? undefined : Number(id);
}

function explainFailure<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new SetupError(
      `${path} cannot be read or written (${code}). Run this command as root, or choose another folder with --dir.`,
      { cause },
    );
  }
}
