import type { Engines } from '../engines.ts';
import { query } from '../query.ts';

export const findPassword = query((store) => store.signInMethods.password);
export const hasSignInMethod = query((store) => store.signInMethods.hasAny);
export const listIdentities = query((store) => store.signInMethods.identities);

/** Reads all sign-in methods of a person. */
export async function readSignInMethods({ store: { signInMethods } }: Pick<Engines, 'store'>, personId: string) {
  const [passkeys, password, app, recoveryCodesLeft, identities] = await Promise.all([
    signInMethods.passkeys(personId),
    signInMethods.password(personId),
    signInMethods.authenticatorApp(personId),
    signInMethods.countRecoveryCodes(personId),
    signInMethods.identities(personId),
  ]);
  return { passkeys, password, app, recoveryCodesLeft, identities };
}
