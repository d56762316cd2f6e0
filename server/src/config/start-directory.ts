import { isAbsolute, resolve } from 'node:path';

/** Set by `leaveStartDirectory`; undefined until then, and if the directory was removed. */
let startDirectory: string | undefined;
let hasLeft = false;

/**
 * Leaves the directory that the program was started in. Libraries search the working directory for configuration, and
 * some run code that they find there: it could be a directory that every user can write to, or one that the services'
 * user cannot read. In the root directory only root can put anything.
 */
export function leaveStartDirectory(): void {
  try {
    startDirectory = process.cwd();
  } catch {
    // It was removed; only a relative path needs it.
  }
  process.chdir('/');
  hasLeft = true;
}

/** The absolute form of a path that a person gave, relative to the directory that the program was started in. */
export function resolveInStartDirectory(path: string): string {
  if (!hasLeft || isAbsolute(path)) return resolve(path);
  if (startDirectory !== undefined) return resolve(startDirectory, path);
  throw new Error(
    `The directory that the command was started in was removed. Use an absolute path instead of ${path}.`,
  );
}
