import { createHmac } from 'node:crypto';
import type { KeyProvider } from '../ports/key-provider.ts';
import { SetupError } from '../setup-error.ts';
import type { Manifest } from './format.ts';

/** Tells secrets apart without revealing anything about them: they are random, and this cannot be reversed. */
export function fingerprint(secret: Buffer): string {
  return createHmac('sha256', secret).update('waybill fingerprint').digest('hex').slice(0, 32);
}

/** Throws when what was backed up could not be used with the keys that are configured here. */
export async function requireSameKeys(
  { keys }: Manifest,
  here: { readonly masterKeys: KeyProvider; readonly pepper: Buffer },
): Promise<void> {
  const known = await here.masterKeys.list();
  const problems = keys.master.flatMap(({ version, fingerprint: expected }) => {
    const found = known.find((key) => key.version === version);
    if (!found) return [`There is no master key of version ${version}.`];
    if (found.fingerprint === expected) return [];
    return [`The master key of version ${version} is another one.`];
  });
  if (fingerprint(here.pepper) !== keys.pepper) {
    problems.push('WAYBILL_KEY_PEPPER is another one: no API key of the backup would be accepted.');
  }
  if (problems.length === 0) return;
  throw new SetupError(`The keys here are not those of the backup. ${problems.join(' ')} Put the right ones in place.`);
}
