import { readFileSync } from 'node:fs';
import { type Policy, parsePolicy } from '@waybill/evidence';
import type { SettingType } from './setting.ts';

export interface WitnessSettings {
  /** The lines of the file without comments, for the policy that this server names. */
  readonly rules: string;
  readonly policy: Policy | undefined;
}

export const noWitnesses: WitnessSettings = { rules: 'quorum none\n', policy: undefined };

/** A file of witness, group and quorum lines, each witness with its URL. */
export const witnessesFile: SettingType<WitnessSettings> = {
  name: 'path',
  parse: (path) => (path === '' ? noWitnesses : parseWitnesses(readText(path))),
};

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new Error(`names a file that cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

/** Messages continue the name of the setting. */
function parseWitnesses(text: string): WitnessSettings {
  let policy: Policy;
  try {
    policy = parsePolicy(text);
  } catch (error) {
    throw new Error(`names a file that is not a policy: ${(error as Error).message}.`, { cause: error });
  }
  if (policy.logs.length > 0)
    throw new Error('names a file with a log: only witnesses, groups and the quorum belong there.');
  for (const [name, verifier] of policy.witnesses)
    if (!/^https?:\/\/[^/]/.test(policy.urls.get(verifier) ?? ''))
      throw new Error(`names a file in which the witness ${name} has no URL.`);
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  return { rules: `${lines.join('\n')}\n`, policy };
}
