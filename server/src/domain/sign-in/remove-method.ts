import type { UnattributedChange } from '../audit/record.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Browser } from '../people/browser.ts';
import type { SignedIn } from '../people/sessions.ts';
import { changeMethods } from './register-method.ts';

type Needs = Pick<Engines, 'store' | 'random'> & { readonly pepper: Buffer };

/** A sign-in method that a person no longer wants. Recovery codes go with the app, and both with the password. */
export type RemovableMethod =
  | { readonly passkey: Buffer }
  | { readonly identity: { readonly issuer: string; readonly subject: string } }
  | 'password'
  | 'authenticator_app';

/**
 * Removes a method, unless the person could not sign in any more. Every other session ends, because one of them may have
 * begun with it; returns the secret of the next one.
 */
export async function removeMethod(
  engines: Needs,
  signedIn: SignedIn,
  method: RemovableMethod,
  browser: Browser,
): Promise<string> {
  const { person } = signedIn;
  return await changeMethods(engines, signedIn, undefined, browser, async ({ signInMethods }) => {
    const removed = await remove(signInMethods, person.id, method);
    if (!(await signInMethods.hasAny(person.id))) {
      throw new ExchangeError('invalid_input', 'This is the only way to sign in. Add another one first.');
    }
    return removed;
  });
}

async function remove(
  methods: Engines['store']['signInMethods'],
  personId: string,
  method: RemovableMethod,
): Promise<UnattributedChange> {
  if (method === 'authenticator_app' || method === 'password') {
    await methods.setRecoveryCodes(personId, []);
    await methods.removeAuthenticatorApp(personId);
    if (method === 'authenticator_app') return { action: 'authenticator_app.removed', details: {} };
    await methods.removePassword(personId);
    return { action: 'password.removed', details: {} };
  }
  if ('passkey' in method) {
    const passkey = await methods.passkey(method.passkey);
    const isRemoved = await methods.removePasskey(personId, method.passkey);
    if (!passkey || !isRemoved) throw new ExchangeError('not_found');
    return { action: 'passkey.removed', details: { name: passkey.name } };
  }
  const { issuer, subject } = method.identity;
  if (!(await methods.removeIdentity(personId, issuer, subject))) throw new ExchangeError('not_found');
  return { action: 'identity.removed', details: { issuer } };
}
