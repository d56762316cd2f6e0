import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Config, ConfigError, configTable, inspectConfig } from '../../config/config.ts';
import { parseEnvironment, type Settings, updateEnvironment } from '../../config/environment-file.ts';
import { SetupError } from '../../domain/setup-error.ts';
import type { ProtectedFiles } from './protected-files.ts';

const secretFiles: Readonly<Record<string, string>> = {
  WAYBILL_DATABASE_URL: 'database-url',
  WAYBILL_REDIS_URL: 'redis-url',
  WAYBILL_S3_SECRET_ACCESS_KEY: 's3-secret',
  WAYBILL_KEY_PEPPER: 'key-pepper',
  WAYBILL_SMTP_URL: 'smtp-url',
  WAYBILL_SMS_URL: 'sms-url',
};

const header = `# Read by the services of Waybill and by the command waybilld. \`waybilld setup\` keeps your changes.
# docs/configuration.md lists every setting.
`;

export const environmentPath = (dir: string) => join(dir, 'environment');

export function readSettings(files: ProtectedFiles, dir: string): Settings {
  return parseEnvironment(files.read(environmentPath(dir)) ?? '');
}

/**
 * Writes the environment file, and each secret into a file of its own. A master key and a pepper are made if there are
 * none, and never replaced: without them, files or API keys would be lost. Nothing is written unless all settings can
 * be used, nor if a new master key is refused. Returns the settings as they are in the environment file.
 */
export async function writeSettings(
  files: ProtectedFiles,
  dir: string,
  given: Settings,
  beforeNewKey: (config: Config) => Promise<void>,
): Promise<Settings> {
  const masterKeyFile = given['WAYBILL_MASTER_KEY_FILE'] ?? join(dir, 'master-keys');
  const pepperFile = given['WAYBILL_KEY_PEPPER_FILE'] ?? join(dir, 'key-pepper');
  const storedPepper = files.read(pepperFile)?.trim();
  const pepper = given['WAYBILL_KEY_PEPPER'] ?? storedPepper ?? randomBytes(32).toString('base64');
  if (storedPepper !== undefined && storedPepper !== pepper) {
    throw new SetupError(
      `WAYBILL_KEY_PEPPER differs from ${pepperFile}, with which API keys were made. Unset one of them: a new pepper makes every API key invalid.`,
    );
  }
  const { WAYBILL_KEY_PEPPER_FILE: _, ...others } = given;
  const complete = { ...others, WAYBILL_MASTER_KEY_FILE: masterKeyFile, WAYBILL_KEY_PEPPER: pepper };
  const { values, problems } = inspectConfig(complete);
  if (problems.length > 0) throw new ConfigError(problems);

  if (files.read(masterKeyFile) === undefined) {
    await beforeNewKey(values as Config);
    files.write(masterKeyFile, `1:${randomBytes(32).toString('base64')}\n`);
  }
  const settings: Record<string, string> = {};
  const order = Object.keys(configTable);
  const place = ([name]: [string, string]) =>
    order.indexOf(name.replace(/_FILE$/, (end) => (name in configTable ? end : '')));
  for (const [name, value] of Object.entries(complete).toSorted((a, b) => place(a) - place(b))) {
    if (configTable[name]?.secret !== true) {
      settings[name] = value;
      continue;
    }
    const path = name === 'WAYBILL_KEY_PEPPER' ? pepperFile : join(dir, secretFiles[name] ?? name.toLowerCase());
    // Compared without the line's end, which the program ignores.
    if (files.read(path)?.trim() !== value) files.write(path, `${value}\n`);
    settings[`${name}_FILE`] = path;
  }
  const path = environmentPath(dir);
  files.write(path, updateEnvironment(files.read(path) ?? header, settings));
  return settings;
}
