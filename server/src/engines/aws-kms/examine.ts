import type { Finding } from '../../domain/doctor/finding.ts';
import { fault, ok, reason } from '../../domain/doctor/finding.ts';
import { type KmsOptions, kmsKeyProvider } from './key-provider.ts';

const check = 'keys.kms';
const remedies: Readonly<Record<string, string>> = {
  AccessDeniedException: 'Allow kms:Encrypt, kms:Decrypt and kms:DescribeKey on the keys in WAYBILL_KMS_KEYS.',
  NotFoundException: 'Correct the ARN in WAYBILL_KMS_KEYS, or create the key in the account and region that it names.',
  DisabledException: 'Enable the key in KMS.',
  KMSInvalidStateException:
    'Cancel the deletion of the key in KMS, and enable it. What it has wrapped is lost with it.',
  CredentialsProviderError: 'Give the machine a role, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
};

/** Whether KMS responds, all keys exist, and the first one may be used. */
export async function* examineKms(options: KmsOptions): AsyncGenerator<Finding> {
  try {
    const keys = kmsKeyProvider(options);
    await keys.list();
    const probe = Buffer.alloc(32);
    const { wrapped, version } = await keys.wrap(probe, 'doctor');
    if (!(await keys.unwrap(wrapped, version, 'doctor')).equals(probe)) throw new Error('it returned something else');
    yield ok(check, `AWS KMS responds, and version ${version} is used for wrapping.`);
  } catch (error) {
    const cause = ((error as Error).cause ?? error) as Error;
    const remedy =
      remedies[cause.name] ?? 'Check WAYBILL_KMS_KEYS and WAYBILL_KMS_ENDPOINT, and that KMS can be reached from here.';
    yield fault(check, `The master keys in AWS KMS cannot be used: ${cause.name}, ${reason(cause)}.`, remedy);
  }
}
