interface FileError {
  code: string;
  message: string;
  next: string;
}

const fileErrors: Readonly<Record<string, readonly [says: string, next: string]>> = {
  ENOENT: ['does not exist', 'Check the path.'],
  ENOTDIR: ['is not a folder', 'Check the path.'],
  EEXIST: ['exists already and is not a folder', 'Choose another path.'],
  EISDIR: ['is a folder', 'Choose a file.'],
  EACCES: ['cannot be accessed: permission is denied', 'Check its permissions.'],
  EPERM: ['cannot be accessed: permission is denied', 'Check its permissions.'],
  EROFS: ['cannot be written: the disk is read-only', 'Choose another path.'],
  ENOSPC: ['cannot be written: the disk is full', 'Make room and run the command again.'],
  EDQUOT: ['cannot be written: the disk quota is used up', 'Make room and run the command again.'],
  EIO: ['cannot be read or written: the disk reports an error', 'Check the disk.'],
  EFBIG: ['cannot be written: the disk does not hold files of this size', 'Choose another disk.'],
  EXDEV: ['is on another disk than its target', 'Use a folder on the same disk.'],
  ENAMETOOLONG: ['cannot be written: its name is too long for the disk', 'Choose another path.'],
};

/** The same failures by their names in SQLite. */
const sqliteCodes: Readonly<Record<number, string>> = { 8: 'EROFS', 10: 'EIO', 13: 'ENOSPC' };

/** Returns the system's code for a failed call to the file system, also for one that SQLite has made. */
export function findFileErrorCode(error: unknown): string | undefined {
  const { code, syscall, errcode } = error as NodeJS.ErrnoException & { errcode?: number };
  // The lowest byte is the kind of failure, the others are its details.
  if (code === 'ERR_SQLITE_ERROR') return sqliteCodes[(errcode ?? 0) % 256];
  return syscall === undefined ? undefined : code;
}

/** Describes a failed call to the file system; returns undefined for any other error. */
export function describeFileError(error: unknown): FileError | undefined {
  const code = findFileErrorCode(error);
  if (code === undefined) return undefined;
  const { path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'mkdir' && code === 'ENOENT') {
    return { code, message: `${path} cannot be created.`, next: 'Choose another path.' };
  }
  const [says, next] = fileErrors[code] ?? [];
  if (says === undefined || next === undefined) return undefined;
  const subject = path ?? (syscall === undefined ? 'The journal of the folder' : 'The output');
  return { code, message: `${subject} ${says}.`, next };
}
