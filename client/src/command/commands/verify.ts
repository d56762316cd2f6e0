import { open, readFile } from 'node:fs/promises';
import {
  type Authorities,
  describeVerdict,
  type Policy,
  parseAuthorities,
  type Verdict,
  verifyReceipt,
} from '@waybill/evidence';
import { toUnreachableError } from '../../http/transport.ts';
import { requireServerUrl } from '../account.ts';
import type { Context } from '../context.ts';
import { describeError } from '../error-report.ts';
import { CommandError, exitCodes, SilentExit } from '../exit-codes.ts';
import { confirm } from '../terminal/ask.ts';
import {
  describeKey,
  maxPolicyBytes,
  parsePolicyText,
  pinnedPath,
  readPinnedPolicies,
  readPolicyFile,
  writePinnedPolicy,
} from './pinned-policies.ts';

export interface VerifyCommandOptions {
  key?: string;
  policy?: string;
  pin?: string;
  timestampCa?: string;
  plainHttp?: boolean;
  yes?: boolean;
}

const timeoutMs = 15_000;

/** Larger receipts are refused unread. */
const maxReceiptBytes = 64 * 1024 * 1024;

export async function verify(context: Context, paths: readonly string[], options: VerifyCommandOptions): Promise<void> {
  if (options.pin !== undefined) await pinPolicy(context, options.pin, options);
  else if (paths.length === 0)
    throw new CommandError(exitCodes.usage, 'usage', 'No receipt was given.', 'See: waybill verify --help');
  if (paths.length > 0) await verifyFiles(context, paths, options);
}

/** Verifies receipts without any connection. Exits with a code of its own if one of them is not proven. */
async function verifyFiles(context: Context, paths: readonly string[], options: VerifyCommandOptions): Promise<void> {
  const { output } = context;
  const policies = await readTrust(context, options);
  const authorities = options.timestampCa === undefined ? undefined : await readAuthorities(options.timestampCa);
  let isProven = true;
  let isReadable = true;
  for (const path of paths) {
    let bytes: Uint8Array;
    try {
      bytes = await readBounded(path);
    } catch (error) {
      isReadable = false;
      output.printError(describeError(error));
      continue;
    }
    const verdict = await judge(bytes, policies, authorities);
    isProven &&= verdict.isValid;
    if (output.isJson) await output.print('', { file: path, ...verdict });
    else {
      const title = paths.length > 1 ? [`${path}:`] : [];
      for (const line of [...title, ...describeVerdict(verdict)]) await output.print(line, undefined);
    }
  }
  if (!isProven) throw new SilentExit(exitCodes.unproven);
  if (!isReadable) throw new SilentExit(exitCodes.failed);
}

/** A receipt is proven if one of the policies trusts it; otherwise the verdict is that of the first. */
async function judge(
  bytes: Uint8Array,
  policies: readonly Policy[],
  authorities: Authorities | undefined,
): Promise<Verdict> {
  let first: Verdict | undefined;
  for (const policy of policies) {
    const verdict = await verifyReceipt(bytes, policy, { authorities });
    if (verdict.isValid) return verdict;
    first ??= verdict;
  }
  if (!first) throw new TypeError('there is no policy');
  return first;
}

async function readTrust({ terminal }: Context, { key, policy }: VerifyCommandOptions): Promise<Policy[]> {
  if (key !== undefined) return [parsePolicyText(`log ${key}\nquorum none\n`, 'The value of --key')];
  if (policy !== undefined) return [await readPolicyFile(policy)];
  const pinned = await readPinnedPolicies(terminal);
  if (pinned.length > 0) return pinned;
  throw new CommandError(
    exitCodes.untrusted,
    'no_trust',
    'A receipt proves something only to someone who knows the key of its log, and you have not named one.',
    'Use --key or --policy with one that you got from someone you trust, or pin the one that a server names: waybill verify --pin URL',
  );
}

async function readAuthorities(path: string): Promise<Authorities> {
  try {
    return parseAuthorities(await readFile(path, 'utf8'));
  } catch (error) {
    throw new CommandError(
      exitCodes.usage,
      'bad_certificates',
      `${path} cannot be used: ${(error as Error).message}.`,
      'Use --timestamp-ca with a PEM file of the certificates of the time-stamping authority, which the authority publishes.',
    );
  }
}

/** Reads a file, but no more than a receipt can have. */
async function readBounded(path: string): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > maxReceiptBytes) {
      const next = 'Choose a receipt: a PDF or JSON file of at most 64 MiB.';
      throw new CommandError(exitCodes.failed, 'too_large', `${path} is too large to be a receipt.`, next);
    }
  } finally {
    await file.close();
  }
  return await readFile(path);
}

/**
 * Stores the policy that a server names, for receipts that are verified later. The first time, there is nothing to compare it
 * with: the user is shown the keys and asked.
 */
async function pinPolicy(context: Context, address: string, options: VerifyCommandOptions): Promise<void> {
  const { terminal, output, signal } = context;
  requireServerUrl(address, options.plainHttp === true);
  const server = new URL(address);
  const path = pinnedPath(terminal, server);
  const text = await fetchPolicy(server, signal);
  const policy = parsePolicyText(text, 'The response of the server');
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (before === text)
    return await output.print('The server names the policy that is pinned.', { status: 'unchanged' });
  const keys = [...policy.logs, ...policy.witnesses.values()].map(describeKey);
  output.notice(
    before === undefined ? 'The server names these keys:' : 'The server names OTHER keys than those pinned:',
  );
  for (const key of keys) output.notice(`  ${key}`);
  output.notice('Nothing proves yet that they are right. Compare them with a copy from someone you trust.');
  if (!(await confirm(terminal, signal, `Trust these keys for receipts of ${server.host}?`, options.yes)))
    return await output.printUnchanged();
  await writePinnedPolicy(path, text);
  await output.print(`Pinned in ${path}.`, { status: 'pinned', file: path, keys });
}

async function fetchPolicy(server: URL, signal: AbortSignal): Promise<string> {
  const url = new URL(`${server.href.replace(/\/*$/, '')}/log/policy`);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const refuse = (message: string) =>
    new CommandError(
      exitCodes.temporary,
      'no_policy',
      message,
      'Check the server’s address, then run the command again.',
    );
  try {
    const response = await fetch(url, { redirect: 'error', signal: limit });
    if (!response.ok || !response.body) throw refuse(`${url.href} has no policy (status ${response.status}).`);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of response.body as AsyncIterable<Uint8Array>) {
      size += piece.length;
      if (size > maxPolicyBytes) throw refuse(`The policy at ${url.href} is too large.`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof CommandError) throw error;
    if (limit.aborted) throw refuse(`${url.href} has sent no policy within ${timeoutMs / 1000} seconds.`);
    throw toUnreachableError(url, (error as Error).cause ?? error);
  }
}
