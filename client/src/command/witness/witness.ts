import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { parseVerifierKey, type Verifier } from '@waybill/evidence';
import { readPolicyFile } from '../commands/pinned-policies.ts';
import type { Context } from '../context.ts';
import { CommandError, exitCodes, SilentExit } from '../exit-codes.ts';
import { createKeyFile, readKeyFile } from './key-file.ts';
import { createWitnessServer } from './serve-witness.ts';
import { StateFile } from './state-file.ts';

export interface WitnessInitOptions {
  name: string;
  keyFile: string;
  state: string;
  postQuantum?: boolean;
}

export interface WitnessCommandOptions {
  keyFile: string;
  state: string;
  listen: string;
  log?: string;
  policy?: string;
}

export async function initWitness({ output }: Context, options: WitnessInitOptions): Promise<void> {
  const { name, keyFile, state, postQuantum = false } = options;
  if (name === '' || /[\s+]/u.test(name))
    throw new CommandError(
      exitCodes.usage,
      'usage',
      'The name has a space or a +.',
      'Use a name such as witness.example.com/w1.',
    );
  const { verifierKeys } = await createKeyFile(keyFile, name, postQuantum);
  try {
    await StateFile.create(state);
  } catch (error) {
    await rm(keyFile);
    throw error;
  }
  for (const key of verifierKeys) await output.print(key, { name, key });
}

/** Runs until it is interrupted. */
export async function runWitness({ output, signal }: Context, options: WitnessCommandOptions): Promise<void> {
  const logs = await readLogs(options);
  const { host, port } = parseAddress(options.listen);
  const keys = await readKeyFile(options.keyFile, () => Math.floor(Date.now() / 1000));
  const state = await StateFile.open(options.state);
  const server = createWitnessServer({
    ...keys,
    logs,
    state,
    report: (judgement) => {
      const at = new Date().toISOString();
      void output.print(`${at}  ${judgement.status}  ${judgement.origin}  ${judgement.message}`, { at, ...judgement });
    },
  });
  try {
    server.listen(port, host);
    await once(server, 'listening', { signal });
    const { address, port: opened } = server.address() as AddressInfo;
    output.notice(`Listening on ${address}:${opened}; press Ctrl-C to stop.`);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    server.close();
    server.closeAllConnections();
    state.close();
  }
  throw new SilentExit(exitCodes.interrupted);
}

async function readLogs({ log, policy }: WitnessCommandOptions): Promise<readonly Verifier[]> {
  if (policy !== undefined) return (await readPolicyFile(policy)).logs;
  try {
    if (log !== undefined) return [parseVerifierKey(log)];
  } catch (error) {
    throw new CommandError(
      exitCodes.usage,
      'usage',
      `--log is not the key of a log: ${(error as Error).message}.`,
      'Copy the key as the log names it.',
    );
  }
  const next = 'Name its key with --log, or a policy with --policy.';
  throw new CommandError(exitCodes.usage, 'usage', 'No log was given.', next);
}

function parseAddress(address: string): { host: string; port: number } {
  const [, host = '', port = ''] = /^\[?([^\]]+)\]?:(\d{1,5})$/.exec(address) ?? [];
  if (host === '' || Number(port) > 65_535)
    throw new CommandError(
      exitCodes.usage,
      'usage',
      `"${address}" is not a host and a port.`,
      'Use an address such as 127.0.0.1:8095.',
    );
  return { host, port: Number(port) };
}
