import type { Finding } from '../../domain/doctor/finding.ts';
import { fault, isCertificateError, ok, privateAuthority, reason, warning } from '../../domain/doctor/finding.ts';
import { isProtectedUrl } from '../../domain/protected-url.ts';
import { SetupError } from '../../domain/setup-error.ts';
import { vaultKeyProvider } from './key-provider.ts';
import { askTransit, describe, type TransitOptions } from './transit.ts';

const check = 'keys.vault';

const unprotected = warning(
  'keys.vault.address',
  'WAYBILL_VAULT_KEY begins with http:// and names another machine: whoever is on the way can read the token and the keys.',
  'Let Vault serve HTTPS, and put its https:// address into WAYBILL_VAULT_KEY. A private authority’s certificate is named in NODE_EXTRA_CA_CERTS.',
);

/** Whether Vault responds, the key exists and suits, and the token may use it. */
export async function* examineVault(options: TransitOptions): AsyncGenerator<Finding> {
  if (!isProtectedUrl(new URL(options.keyUrl))) yield unprotected;
  try {
    const response = await askTransit(options, 'keys');
    if (response.status === 403) {
      const remedy = 'Give the token a policy with read on the key, and update on encrypt/ and decrypt/ with its name.';
      yield fault(check, `The token may not read the key: ${describe(response)}.`, remedy);
      return;
    }
    if (response.status !== 200) {
      const remedy =
        'Create it: vault write -f transit/keys/NAME type=aes256-gcm96. Its address is in WAYBILL_VAULT_KEY.';
      yield fault(check, `The key is not there: ${describe(response)}.`, remedy);
      return;
    }
    const keys = vaultKeyProvider(options);
    const probe = Buffer.alloc(32);
    const { wrapped, version } = await keys.wrap(probe, 'doctor');
    if (!(await keys.unwrap(wrapped, version, 'doctor')).equals(probe)) throw new Error('it returned something else');
    const refused = await keys.unwrap(wrapped, version, 'another').then(
      () => false,
      () => true,
    );
    if (!refused) {
      const remedy = 'Use a key of type aes256-gcm96 on Vault 1.9 or later.';
      yield fault(check, 'The key does not bind what it wraps to its context.', remedy);
      return;
    }
    yield ok(check, `Vault responds, and version ${version} of the key is used for wrapping.`);
  } catch (error) {
    const cause = error instanceof SetupError ? error : (error as Error).cause;
    yield fault(
      check,
      `The master keys in Vault cannot be used: ${reason(cause ?? error)}.`,
      isCertificateError(cause)
        ? privateAuthority
        : 'Check WAYBILL_VAULT_KEY, WAYBILL_VAULT_TOKEN_FILE, and that Vault is running and unsealed.',
    );
  }
}
