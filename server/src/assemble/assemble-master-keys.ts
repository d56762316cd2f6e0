import type { Config } from '../config/config.ts';
import type { UsedMasterKey } from '../domain/backup/database-copies.ts';
import type { KeyProvider } from '../domain/ports/key-provider.ts';
import type { Random } from '../domain/ports/random.ts';
import { kmsKeyProvider } from '../engines/aws-kms/key-provider.ts';
import { keyfileProvider } from '../engines/keyfile/key-provider.ts';
import { databaseCopies } from '../engines/postgres/backup/copies.ts';
import { openPool, requestDeadlines } from '../engines/postgres/database.ts';
import { vaultKeyProvider } from '../engines/vault/key-provider.ts';

/** The settings that say where the master keys are. */
export const masterKeySettings = [
  'WAYBILL_MASTER_KEYS',
  'WAYBILL_MASTER_KEY_FILE',
  'WAYBILL_VAULT_KEY',
  'WAYBILL_VAULT_TOKEN_FILE',
  'WAYBILL_KMS_KEYS',
  'WAYBILL_KMS_ENDPOINT',
] as const;
export type MasterKeyConfig = Pick<Config, (typeof masterKeySettings)[number]>;

export function openMasterKeys(config: MasterKeyConfig, random: Random): KeyProvider {
  const providers = {
    file: () => keyfileProvider(config.WAYBILL_MASTER_KEY_FILE, random),
    vault: () => vaultKeyProvider(vaultOptions(config)),
    'aws-kms': () => kmsKeyProvider(kmsOptions(config)),
  };
  return providers[config.WAYBILL_MASTER_KEYS]();
}

/** Lists the master keys that stored keys need, also where none can be opened. */
export function listUsedMasterKeys({
  WAYBILL_DATABASE_URL: url,
}: Pick<Config, 'WAYBILL_DATABASE_URL'>): Promise<readonly UsedMasterKey[]> {
  const open = () => openPool({ url, connections: 1, deadlines: requestDeadlines, onError: () => undefined });
  return databaseCopies({ url, openPool: open }).usedMasterKeys();
}

export const vaultOptions = (config: MasterKeyConfig) => ({
  keyUrl: config.WAYBILL_VAULT_KEY,
  tokenFile: config.WAYBILL_VAULT_TOKEN_FILE,
});

export const kmsOptions = (config: MasterKeyConfig) => ({
  keys: config.WAYBILL_KMS_KEYS,
  endpoint: config.WAYBILL_KMS_ENDPOINT,
});
