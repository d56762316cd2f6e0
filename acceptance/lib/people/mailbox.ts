import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import PostalMime, { type Email } from 'postal-mime';
import { demo } from '../servers/running-demo.ts';
import { eventually } from '../wait.ts';

export interface Mail {
  /** The address in the envelope, which may differ from the headers. */
  address: string;
  email: Email;
  raw: string;
}

const addressByPath = new Map<string, string>();
const parsedByPath = new Map<string, Mail>();

/** Every mail that has been delivered to this envelope address so far. */
export function mailsTo(address: string): Promise<Mail[]> {
  return mailsIn(demo().mail_dir, address);
}

/** The same, of another mail server. */
export async function mailsIn(folder: string, address: string): Promise<Mail[]> {
  const mails: Mail[] = [];
  for (const path of await deliveredPaths(folder)) {
    if (!addressByPath.has(path)) addressByPath.set(path, readEnvelopeAddress(await readFile(path, 'latin1')));
    if (addressByPath.get(path) !== address) continue;
    const bytes = await readFile(path);
    mails.push({ address, email: await PostalMime.parse(bytes), raw: bytes.toString('latin1') });
  }
  return mails;
}

/** Every mail delivered since then, by envelope address; each is read once, so that repeated calls are cheap. */
export async function allMails(since = 0): Promise<Map<string, Mail[]>> {
  const paths = await deliveredPaths(demo().mail_dir);
  for (const path of paths) {
    if (parsedByPath.has(path) || (await stat(path)).mtimeMs < since) continue;
    const bytes = await readFile(path);
    const raw = bytes.toString('latin1');
    parsedByPath.set(path, { address: readEnvelopeAddress(raw), email: await PostalMime.parse(bytes), raw });
  }
  const mails = paths.flatMap((path) => parsedByPath.get(path) ?? []);
  return Map.groupBy(mails, (mail) => mail.address);
}

export async function waitForMail(address: string): Promise<Mail> {
  return await eventually(`a mail to ${address}`, async () => (await mailsTo(address))[0]);
}

/** The tokens of the links of this kind in the mail, each once, whichever part they are in. */
export function linkTokens(mail: Mail, kind: 'd' | 'u' | 'm'): string[] {
  const prefix = `${demo().base_url.replace(/\/$/, '')}/${kind}/`;
  const content = `${mail.email.text ?? ''}\n${mail.email.html ?? ''}`;
  const tokens = content.split(prefix).slice(1);
  return [...new Set(tokens.map((rest) => /^[A-Za-z0-9_-]*/.exec(rest)?.[0] ?? ''))];
}

async function deliveredPaths(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  // A Maildir's tmp folder contains what is still being written.
  return entries
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/tmp'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function readEnvelopeAddress(raw: string): string {
  const head = raw.split(/\r?\n\r?\n/, 1)[0] ?? '';
  return /^(?:X-Original-To|Delivered-To):\s*(\S+)\s*$/im.exec(head)?.[1]?.toLowerCase() ?? '';
}
