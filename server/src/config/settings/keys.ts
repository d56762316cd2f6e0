import type { Setting } from '../setting.ts';
import { address, emptyOr, filePath, kmsKeys, oneOf, pepper, transitKey } from '../types.ts';

/** The master keys and the pepper of API keys. */
export const keysSettings = {
  WAYBILL_KEY_PEPPER: {
    group: 'required',
    description:
      'At least 32 bytes in base64, kept outside the database: without it, API keys cannot be checked against a stolen database.',
    secret: true,
    type: pepper,
  },
  WAYBILL_MASTER_KEYS: {
    group: 'common',
    description:
      'Where the master keys are. file: in WAYBILL_MASTER_KEY_FILE. vault: in HashiCorp Vault or OpenBao, see WAYBILL_VAULT_KEY. aws-kms: in AWS KMS, see WAYBILL_KMS_KEYS.',
    default: 'file',
    type: oneOf('file', 'vault', 'aws-kms'),
  },
  WAYBILL_MASTER_KEY_FILE: {
    group: 'common',
    description:
      'Required with WAYBILL_MASTER_KEYS=file: a file of master keys, one per line: VERSION:BASE64 OF 32 BYTES. The first is used for sealing; keep the others.',
    default: '',
    type: filePath,
  },
  WAYBILL_VAULT_KEY: {
    group: 'common',
    description:
      'The address of a key in Vault’s Transit engine, such as https://vault.example.org:8200/v1/transit/keys/waybill. Its type is aes256-gcm96.',
    default: '',
    type: emptyOr(transitKey),
  },
  WAYBILL_VAULT_TOKEN_FILE: {
    group: 'common',
    description:
      'A file with a token that may read this key, encrypt and decrypt, as Vault’s agent writes it. It is read again for every request.',
    default: '',
    type: filePath,
  },
  WAYBILL_KMS_KEYS: {
    group: 'common',
    description:
      'Keys in AWS KMS as VERSION:ARN, separated by commas: 1:arn:aws:kms:eu-north-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab. The first is used for sealing; keep the others. Credentials are found as by every AWS program.',
    default: '',
    type: kmsKeys,
  },
  WAYBILL_KMS_ENDPOINT: {
    group: 'tuning',
    description: 'The address of AWS KMS if it is not the usual one of the region, such as that of a VPC endpoint.',
    default: '',
    type: emptyOr(address('http', 'https')),
  },
} satisfies Record<string, Setting>;
