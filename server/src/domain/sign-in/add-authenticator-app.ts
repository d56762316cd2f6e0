import type { AuditAction } from '../audit/actions.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import type { Browser } from '../people/browser.ts';
import type { Person } from '../people/person-store.ts';
import type { SignedIn } from '../people/sessions.ts';
import type { Store } from '../store.ts';
import { digestRecoveryCode, newRecoveryCodes } from './recovery-codes.ts';
import { changeMethods } from './register-method.ts';
import { deriveTotpSecret, encodeBase32, findTotpStep, makeTotpUri, newTotpSalt } from './totp.ts';

type Needs = Pick<Engines, 'store' | 'random' | 'policy'> & { readonly pepper: Buffer };

/** The values that a person enters into an authenticator app. */
export interface AppSecret {
  /** For a QR code, or a link on the phone itself. */
  readonly uri: string;
  /** In base32, to be typed. */
  readonly secret: string;
}

/** The session that continues, and the codes to keep on paper, which cannot be shown again. */
export interface WithRecoveryCodes {
  readonly secret: string;
  readonly recoveryCodes: readonly string[];
}

/** Begins to add an authenticator app. It is asked for only after its first code was entered. */
export async function beginAuthenticatorApp(engines: Needs, person: Person): Promise<AppSecret> {
  const { store, random } = engines;
  const salt = newTotpSalt(random);
  await store.transaction(async (tx) => {
    await tx.people.lock(person.id);
    // A passkey already counts as two factors, and a provider asks for its own.
    if (!(await tx.signInMethods.password(person.id))) {
      throw new ExchangeError('invalid_input', 'An authenticator app completes a password. Set a password first.');
    }
    if (!(await tx.signInMethods.insertAuthenticatorApp(person.id, salt))) {
      throw new ExchangeError('invalid_input', 'There is an authenticator app already. Remove it first.');
    }
  });
  return describeSecret(engines, person, salt);
}

/** The app that was begun and has not been confirmed, to be shown again. */
export async function findUnconfirmedApp(engines: Needs, person: Person): Promise<AppSecret | undefined> {
  const app = await engines.store.signInMethods.authenticatorApp(person.id);
  return app && !app.isConfirmed ? describeSecret(engines, person, app.salt) : undefined;
}

/** Adds the app with the first of its codes. Throws `sign_in_failed` if the code is wrong; it can be tried again. */
export async function confirmAuthenticatorApp(
  engines: Needs,
  signedIn: SignedIn,
  { code, now }: { readonly code: string; readonly now: Date },
  browser: Browser,
): Promise<WithRecoveryCodes> {
  const { id } = signedIn.person;
  return setRecoveryCodes(engines, signedIn, browser, async (tx) => {
    const app = await tx.signInMethods.authenticatorApp(id);
    if (!app || app.isConfirmed) throw new ExchangeError('invalid_input', 'Begin to add an authenticator app first.');
    const step = findTotpStep(deriveTotpSecret(app.salt, id, engines.pepper), code, { now, ...app });
    if (step === undefined || !(await tx.signInMethods.acceptStep(id, step))) throw new ExchangeError('sign_in_failed');
    return 'authenticator_app.added';
  });
}

/** Replaces the recovery codes: those on the old paper stop working. */
export async function renewRecoveryCodes(
  engines: Needs,
  signedIn: SignedIn,
  browser: Browser,
): Promise<WithRecoveryCodes> {
  return setRecoveryCodes(engines, signedIn, browser, async (tx) => {
    const app = await tx.signInMethods.authenticatorApp(signedIn.person.id);
    if (!app?.isConfirmed) throw new ExchangeError('invalid_input', 'Add an authenticator app first.');
    return 'recovery_codes.renewed';
  });
}

/** Gives the person new recovery codes with a change, which returns the action for the audit log. */
async function setRecoveryCodes(
  engines: Needs,
  signedIn: SignedIn,
  browser: Browser,
  change: (tx: Store) => Promise<AuditAction>,
): Promise<WithRecoveryCodes> {
  const { person } = signedIn;
  const recoveryCodes = newRecoveryCodes(engines.random);
  const digests = recoveryCodes.flatMap((code) => digestRecoveryCode(code, person.id, engines.pepper) ?? []);
  const secret = await changeMethods(engines, signedIn, undefined, browser, async (tx) => {
    const action = await change(tx);
    await tx.signInMethods.setRecoveryCodes(person.id, digests);
    return { action, details: {} };
  });
  return { secret, recoveryCodes };
}

function describeSecret({ pepper, policy }: Needs, { id, email }: Person, salt: Buffer): AppSecret {
  const secret = deriveTotpSecret(salt, id, pepper);
  return { uri: makeTotpUri(secret, { email, operatorName: policy.operatorName }), secret: encodeBase32(secret) };
}
