import { existsSync, readFileSync } from 'node:fs';
import { configTable, isSetting } from '../../config/config.ts';
import type { Settings } from '../../config/environment-file.ts';

export interface Question {
  readonly text: string;
  /** The answer if nothing is typed. */
  readonly suggestion: string | undefined;
  /** The answer is not shown. */
  readonly hidden: boolean;
  /** Throws if the answer cannot be used. */
  readonly check: (answer: string) => void;
}
export type Ask = (question: Question) => Promise<string>;

/** Debian's clamd has it also before its first start, which waits for the signatures. */
const clamdConfiguration = '/etc/clamav/clamd.conf';

/** Asked for in this order, if no one has given them; all others have defaults. What is suggested works on Debian. */
const suggestions: Readonly<Record<string, (given: Settings) => string | undefined>> = {
  WAYBILL_PUBLIC_URL: () => undefined,
  WAYBILL_DATABASE_URL: () => 'postgres:///waybill?host=/run/postgresql&user=waybill',
  WAYBILL_REDIS_URL: () => 'redis://127.0.0.1:6379',
  WAYBILL_S3_ENDPOINT: () => undefined,
  WAYBILL_S3_BUCKET: () => 'waybill',
  WAYBILL_S3_ACCESS_KEY_ID: () => undefined,
  WAYBILL_S3_SECRET_ACCESS_KEY: () => undefined,
  WAYBILL_CLAMD: () => (existsSync(clamdConfiguration) ? '/run/clamav/clamd.ctl' : '127.0.0.1:3310'),
  WAYBILL_SCAN_MAX_BYTES: () =>
    (existsSync(clamdConfiguration) ? streamMaxLength(readFileSync(clamdConfiguration, 'utf8')) : undefined) ??
    configTable['WAYBILL_SCAN_MAX_BYTES']?.default,
  // Debian's Postfix offers encryption with a certificate that no one can verify.
  WAYBILL_SMTP_URL: () => 'smtp://127.0.0.1:25?ignoreTLS=true',
  WAYBILL_MAIL_FROM: ({ WAYBILL_PUBLIC_URL: url = '' }) =>
    URL.canParse(url) ? `waybill@${new URL(url).hostname}` : undefined,
};

/** In bytes; undefined if this configuration of clamd leaves it at its default. */
export function streamMaxLength(configuration: string): string | undefined {
  const [, number, unit = ''] = /^StreamMaxLength\s+(\d+)([KMG]?)$/im.exec(configuration) ?? [];
  return number && String(Number(number) * 1024 ** ['', 'K', 'M', 'G'].indexOf(unit.toUpperCase()));
}

/** A later source replaces a setting of an earlier one, also when one of them gives a value and the other a file. */
export function mergeSettings(...sources: readonly Settings[]): Settings {
  const merged: Record<string, string> = {};
  for (const [name, value] of sources.flatMap((source) => Object.entries(source))) {
    delete merged[name.endsWith('_FILE') && isSetting(name) ? name.slice(0, -'_FILE'.length) : `${name}_FILE`];
    merged[name] = value;
  }
  return merged;
}

/** The given settings, and answers for those that are missing. */
export async function askForMissing(given: Settings, ask: Ask): Promise<Settings> {
  const settings: Record<string, string> = { ...given };
  for (const [name, suggest] of Object.entries(suggestions)) {
    const setting = configTable[name];
    if (!setting || settings[name] !== undefined || settings[`${name}_FILE`] !== undefined) continue;
    settings[name] = await ask({
      text: `${name}\n  ${setting.description}`,
      suggestion: suggest(settings),
      hidden: name === 'WAYBILL_S3_SECRET_ACCESS_KEY',
      check(answer) {
        if (answer === '') throw new Error('is needed.');
        setting.type.parse(answer);
      },
    });
  }
  return settings;
}
