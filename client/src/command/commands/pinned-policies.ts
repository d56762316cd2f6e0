import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Policy, parsePolicy, type Verifier } from '@waybill/evidence';
import { makeFolder } from '../../transfer/make-folder.ts';
import { nameTarget } from '../../transfer/name-target.ts';
import { accountPath } from '../account.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** Policies are small; a server that sends more is not asked further. */
export const maxPolicyBytes = 1024 * 1024;

/** Returns the file in which the policy of a server is pinned. */
export function pinnedPath(terminal: Terminal, server: URL): string {
  const name = `${server.host}${server.pathname}`.replace(/\/+$/, '').replaceAll(/[^a-z0-9.-]/g, '_');
  return join(pinnedFolder(terminal), `${name}.txt`);
}

function pinnedFolder(terminal: Terminal): string {
  return join(dirname(accountPath(terminal)), 'policies');
}

export async function readPinnedPolicies(terminal: Terminal): Promise<Policy[]> {
  const folder = pinnedFolder(terminal);
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const files = names.filter((name) => name.endsWith('.txt')).sort();
  return await Promise.all(files.map(async (name) => await readPolicyFile(join(folder, name))));
}

export async function readPolicyFile(path: string): Promise<Policy> {
  return parsePolicyText(await readFile(path, 'utf8'), path);
}

export function parsePolicyText(text: string, source: string): Policy {
  try {
    return parsePolicy(text);
  } catch (error) {
    const message = `${source} is not a policy: ${(error as Error).message}.`;
    throw new CommandError(
      exitCodes.usage,
      'policy',
      message,
      'Use a policy of the server whose receipts you verify: the file at its address with /log/policy.',
    );
  }
}

/** Replaces a pinned policy atomically. */
export async function writePinnedPolicy(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), 0o700);
  const draft = `${path}.${randomUUID()}`;
  await nameTarget(path, writeFile(draft, text, { mode: 0o600, flag: 'wx' }));
  await rename(draft, path);
}

/** Describes a key so that two people can compare it by voice. */
export function describeKey({ name, type, publicKey }: Verifier): string {
  const algorithm = type === 6 ? 'ML-DSA-44' : 'Ed25519';
  const digest = createHash('sha256').update(publicKey).digest('hex');
  return `${name}  ${algorithm}  ${(digest.match(/.{4}/g) ?? []).join(' ')}`;
}
