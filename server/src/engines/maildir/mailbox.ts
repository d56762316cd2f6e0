import { constants } from 'node:fs';
import { open, opendir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Mailbox } from '../../domain/ports/mailer.ts';

/**
 * A Maildir: a mail in `new` was delivered completely. A mail that is set aside is moved to `cur`, as a mail program
 * would.
 */
export function maildir(folder: string): Mailbox {
  const fresh = (name: string) => join(folder, 'new', name);
  return {
    async list(count) {
      const names: string[] = [];
      for await (const { name } of await opendir(join(folder, 'new'))) {
        if (names.push(name) === count) break;
      }
      return names;
    },

    async read(name, maxBytes) {
      // A process that may deliver here must not be able to make us read other files or wait for a pipe.
      const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
      const file = await open(fresh(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'ELOOP' || error.code === 'ENXIO') return undefined;
        throw error;
      });
      try {
        const about = await file?.stat();
        return about?.isFile() && about.size <= maxBytes ? await file?.readFile() : undefined;
      } finally {
        await file?.close();
      }
    },

    remove: (name) => rm(fresh(name), { force: true, recursive: true }),
    setAside: (name) => rename(fresh(name), join(folder, 'cur', `${name}:2,`)),
  };
}
