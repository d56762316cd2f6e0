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
};

/** Describes a failed call to the file system; returns undefined for any other error. */
export function describeFileError(error: unknown): FileError | undefined {
  const { code = '', path, syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'mkdir' && code === 'ENOENT') {
    return { code, message: `${path} cannot be created.`, next: 'Choose another path.' };
  }
  const [says, next] = fileErrors[code] ?? [];
  if (syscall === undefined || says === undefined || next === undefined) return undefined;
  return { code, message: `${path ?? 'The output'} ${says}.`, next };
}
