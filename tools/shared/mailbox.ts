import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';

export interface Mail {
  /** The address in the envelope, which may differ from those in the headers. */
  readonly address: string;
  readonly email: Email;
  readonly raw: string;
}

interface DeliveredFile {
  readonly path: string;
  readonly address: string;
  readonly deliveredAt: number;
}

// Delivered files do not change; each is read once, so that repeated calls are cheap.
const fileByPath = new Map<string, DeliveredFile>();
const mailByPath = new Map<string, Mail>();

/** Reads the mails in a Maildir to an envelope address, optionally only those delivered since a time. */
export async function readMailsTo(folder: string, address: string, since = 0): Promise<Mail[]> {
  const files = await deliveredFiles(folder, since);
  return readMails(files.filter((file) => file.address === address.toLowerCase()));
}

/** Reads all mails in a Maildir that were delivered since a time, by envelope address. */
export async function readAllMails(folder: string, since = 0): Promise<Map<string, Mail[]>> {
  return Map.groupBy(await readMails(await deliveredFiles(folder, since)), (mail) => mail.address);
}

async function readMails(files: readonly DeliveredFile[]): Promise<Mail[]> {
  const mails: Mail[] = [];
  for (const { path, address } of files) {
    let mail = mailByPath.get(path);
    if (!mail) {
      const bytes = await readFile(path);
      mail = { address, email: await PostalMime.parse(bytes), raw: bytes.toString('latin1') };
      mailByPath.set(path, mail);
    }
    mails.push(mail);
  }
  return mails;
}

async function deliveredFiles(folder: string, since: number): Promise<DeliveredFile[]> {
  const files: DeliveredFile[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    // A Maildir's tmp folder contains mails that are still being written.
    if (!entry.isFile() || entry.parentPath.endsWith('/tmp')) continue;
    const path = join(entry.parentPath, entry.name);
    let file = fileByPath.get(path);
    if (!file) {
      const deliveredAt = (await stat(path)).mtimeMs;
      if (deliveredAt < since) continue;
      file = { path, address: readEnvelopeAddress(await readFile(path, 'latin1')), deliveredAt };
      fileByPath.set(path, file);
    }
    if (file.deliveredAt >= since) files.push(file);
  }
  return files;
}

function readEnvelopeAddress(raw: string): string {
  const head = raw.split(/\r?\n\r?\n/, 1)[0] ?? '';
  return /^(?:X-Original-To|Delivered-To):\s*(\S+)\s*$/im.exec(head)?.[1]?.toLowerCase() ?? '';
}
