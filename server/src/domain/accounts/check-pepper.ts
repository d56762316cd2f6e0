import { fingerprint } from '../backup/key-fingerprints.ts';
import type { Finding } from '../doctor/finding.ts';
import { fault, ok } from '../doctor/finding.ts';
import { SetupError } from '../setup-error.ts';

const says = 'WAYBILL_KEY_PEPPER is not the one that this database is used with: every API key would be refused.';
const remedy = 'Put the right one in place, from the backup of the secrets or from another machine.';

/** Throws if the API keys in the database were made under another pepper. */
export async function checkPepper(record: (fingerprint: string) => Promise<string>, pepper: Buffer): Promise<void> {
  const here = fingerprint(pepper);
  if ((await record(here)) !== here) throw new SetupError(`${says} ${remedy}`);
}

/** The same for the doctor, which records nothing. */
export function examinePepper(recorded: string | undefined, pepper: Buffer): Finding {
  const isRight = recorded === undefined || recorded === fingerprint(pepper);
  return isRight ? ok('keys.pepper', 'The pepper is the one of this database.') : fault('keys.pepper', says, remedy);
}
