import { environmentFile, readEnvironment, readSecretFile } from './environment.ts';
import type { Setting } from './setting.ts';
import { auditSettings } from './settings/audit.ts';
import { evidenceSettings } from './settings/evidence.ts';
import { httpSettings } from './settings/http.ts';
import { keysSettings } from './settings/keys.ts';
import { limitsSettings } from './settings/limits.ts';
import { mailSettings } from './settings/mail.ts';
import { monitoringSettings } from './settings/monitoring.ts';
import { pagesSettings } from './settings/pages.ts';
import { retentionSettings } from './settings/retention.ts';
import { scanSettings } from './settings/scan.ts';
import { storageSettings } from './settings/storage.ts';
import { testingSettings } from './settings/testing.ts';
import { transfersSettings } from './settings/transfers.ts';
import { workSettings } from './settings/work.ts';

/** Every setting. No other place names one: docs/configuration.md is generated from these tables. */
const settings = {
  ...httpSettings,
  ...monitoringSettings,
  ...storageSettings,
  ...keysSettings,
  ...scanSettings,
  ...mailSettings,
  ...pagesSettings,
  ...evidenceSettings,
  ...limitsSettings,
  ...transfersSettings,
  ...retentionSettings,
  ...workSettings,
  ...auditSettings,
  ...testingSettings,
};

/** Variables that are no settings. A shell that sets those of the command `waybill` (docs/client.md) may also start the server. */
const otherVariables = new Set([
  environmentFile,
  'WAYBILL_URL',
  'WAYBILL_USER',
  'WAYBILL_API_KEY',
  'WAYBILL_API_KEY_FILE',
  'WAYBILL_ACCOUNT_FILE',
  'WAYBILL_PLAIN_HTTP',
]);

/** The environment, validated and frozen. */
export type Config = { readonly [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['type']['parse']> };

export const configTable: Readonly<Record<string, Setting>> = settings;

/** Everything that is wrong with the configuration, and how to fix each problem. */
export class ConfigError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is incomplete or wrong:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
  }
}

/** The connections that the job runners of `work` and the statements of their jobs need: with fewer, they would wait for one another. */
export const workConnections = 7;

export function requireWorkConnections({ WAYBILL_DATABASE_CONNECTIONS: connections }: Config): void {
  if (connections >= workConnections) return;
  throw new ConfigError([
    `WAYBILL_DATABASE_CONNECTIONS is ${connections}, and \`work\` needs at least ${workConnections}.`,
  ]);
}

export function readConfig(environment?: NodeJS.ProcessEnv): Config {
  const { values, problems } = inspectConfig(environment);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(values as Config);
}

/** The settings that are valid, and the problems of the others. */
export function inspectConfig(given?: NodeJS.ProcessEnv): {
  readonly values: Partial<Config>;
  /** Each begins with the name of a setting. */
  readonly problems: readonly string[];
} {
  const { environment, problems, isComplete } = given
    ? { environment: given, problems: [], isComplete: true }
    : readEnvironment();
  const values: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(configTable)) {
    try {
      const set = environment[name] ?? (setting.secret ? readSecretFile(environment[`${name}_FILE`]) : undefined);
      const value = set ?? setting.default;
      if (value === undefined || (value === '' && setting.default === undefined)) {
        throw new Error(`is not set${setting.secret ? ` (nor ${name}_FILE)` : ''}. ${setting.description}`);
      }
      values[name] = setting.type.parse(value);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
    }
  }
  for (const name of Object.keys(environment)) {
    if (name.startsWith('WAYBILL_') && !isSetting(name) && !otherVariables.has(name)) {
      problems.push(`${name} is not a setting. Is it misspelt?`);
    }
  }
  const config = values as Config;
  if (problems.length === 0 && config.WAYBILL_LIFETIME_DEFAULT > config.WAYBILL_LIFETIME_MAX) {
    problems.push('WAYBILL_LIFETIME_DEFAULT is larger than WAYBILL_LIFETIME_MAX.');
  }
  if (problems.length === 0 && (config.WAYBILL_TLS_CERTIFICATE_FILE === '') !== (config.WAYBILL_TLS_KEY_FILE === '')) {
    problems.push('WAYBILL_TLS_CERTIFICATE_FILE and WAYBILL_TLS_KEY_FILE are set together, or not at all.');
  }
  if (
    problems.length === 0 &&
    (config.WAYBILL_AUDIT_CERTIFICATE_FILE === '') !== (config.WAYBILL_AUDIT_KEY_FILE === '')
  ) {
    problems.push('WAYBILL_AUDIT_CERTIFICATE_FILE and WAYBILL_AUDIT_KEY_FILE are set together, or not at all.');
  }
  if (
    problems.length === 0 &&
    config.WAYBILL_TIMESTAMP_AUTHORIZATION !== '' &&
    !config.WAYBILL_TIMESTAMP_URL.startsWith('https:')
  ) {
    problems.push('WAYBILL_TIMESTAMP_AUTHORIZATION is set, but WAYBILL_TIMESTAMP_URL is not an https:// address.');
  }
  if (problems.length === 0 && config.WAYBILL_BOUNCE_MAILDIR !== '' && config.WAYBILL_BOUNCE_ADDRESS === '') {
    problems.push('WAYBILL_BOUNCE_MAILDIR is set, but WAYBILL_BOUNCE_ADDRESS is not.');
  }
  for (const name of masterKeySettings[config.WAYBILL_MASTER_KEYS] ?? []) {
    if (config[name]?.length !== 0) continue;
    problems.push(`${name} is not set. ${configTable[name]?.description}`);
    delete values[name];
  }
  // The others may only be the consequence of the file that cannot be read.
  return { values: config, problems: isComplete ? problems : problems.slice(0, 1) };
}

type MasterKeySetting =
  | 'WAYBILL_MASTER_KEY_FILE'
  | 'WAYBILL_VAULT_KEY'
  | 'WAYBILL_VAULT_TOKEN_FILE'
  | 'WAYBILL_KMS_KEYS';
/** The settings that each place of the master keys requires. */
const masterKeySettings: Partial<Record<string, readonly MasterKeySetting[]>> = {
  file: ['WAYBILL_MASTER_KEY_FILE'],
  vault: ['WAYBILL_VAULT_KEY', 'WAYBILL_VAULT_TOKEN_FILE'],
  'aws-kms': ['WAYBILL_KMS_KEYS'],
};

/** Whether this is the name of a setting, or of the file that contains a secret one. */
export function isSetting(name: string): boolean {
  return name in settings || (name.endsWith('_FILE') && configTable[name.slice(0, -'_FILE'.length)]?.secret === true);
}

/** The settings in the environment of the process, not parsed, and without the environment file. */
export function givenSettings(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => isSetting(entry[0]) && !!entry[1]),
  );
}
