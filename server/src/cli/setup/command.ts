import { type Command, InvalidArgumentError } from 'commander';
import { addExamples, print } from '../../admin/command.ts';
import { toLines as findingLines, summarize } from '../../admin/doctor.ts';
import { isSetting } from '../../config/config.ts';
import type { Settings } from '../../config/environment-file.ts';
import { resolveInStartDirectory } from '../../config/start-directory.ts';
import type { SetupOptions, SetupResult } from './setup.ts';
import { environmentPath } from './write-settings.ts';

export type SetUp = (options: SetupOptions & { readonly mayAsk: boolean }) => Promise<SetupResult>;

interface Flags {
  dir: string;
  set: Settings;
  email?: string;
  phone?: string;
  administrator?: string;
  apiKeyFile?: string;
  doctor: boolean;
  yes?: boolean;
  json?: boolean;
}

export function setupCommand(program: Command, setUp: SetUp): void {
  const setup = program
    .command('setup')
    .description(
      'write the settings and secrets, create the bucket, the schema and the first account, invite the first administrator, and examine everything; can be repeated',
    )
    .option('--dir <folder>', 'where the environment file and the secrets are', resolveInStartDirectory, '/etc/waybill')
    .option('--set <NAME=VALUE>', 'a setting; can be repeated. Secrets are safer in the environment', assignment, {})
    .option('--email <address>', 'the address of the first account')
    .option('--phone <digits>', 'its mobile number: 7 to 15 digits, starting with the country code')
    .option(
      '--administrator <address>',
      'the address of the first administrator, for whom a link is printed that opens the app once',
    )
    .option('--api-key-file <path>', 'also write the key of the new account to this file', resolveInStartDirectory)
    .option('--no-doctor', 'do not examine everything at the end')
    .option('--yes', 'ask nothing: settings come from --set, the environment and the environment file')
    .option('--json', 'ask nothing, and print JSON')
    .action(async ({ yes, json, ...options }: Flags, command: Command) => {
      if (options.email !== undefined && options.phone === undefined) command.error('--email also needs --phone');
      const result = await setUp({ ...options, mayAsk: !yes && !json && process.stdin.isTTY });
      print(json, toJson(result), toLines(result, options.dir));
      if (result.findings.some(({ status }) => status === 'fault') || result.failures.length > 0) process.exitCode = 1;
    });
  addExamples(
    setup,
    'waybilld setup',
    'waybilld setup --yes --set WAYBILL_PUBLIC_URL=https://files.example.org --set WAYBILL_S3_BUCKET=waybill',
    'waybilld setup --yes --administrator maya@example.org',
    'waybilld setup --yes --email orders@example.org --phone 46700000001 --json',
  );
}

function assignment(value: string, others: Settings): Settings {
  const [name = '', ...rest] = value.split('=');
  if (rest.length === 0 || !isSetting(name)) {
    throw new InvalidArgumentError('Use NAME=VALUE with a setting of docs/configuration.md.');
  }
  return { ...others, [name]: rest.join('=') };
}

const hasChanged = ({ files, bucketCreated, migrations, account, administrator }: SetupResult) =>
  files.length > 0 ||
  bucketCreated ||
  migrations.length > 0 ||
  account !== undefined ||
  administrator?.isPromoted === true;

function toJson(result: SetupResult) {
  const { files, bucketCreated, migrations, account, administrator, failures, findings } = result;
  return {
    changed: hasChanged(result),
    files,
    bucket_created: bucketCreated,
    migrations,
    account: account ? { email: account.email, api_key: account.apiKey } : null,
    administrator: administrator ? { email: administrator.email, sign_in_url: administrator.link ?? null } : null,
    failures,
    findings,
  };
}

function toLines(result: SetupResult, dir: string): string[] {
  const { files, bucketCreated, migrations, account, hasAccounts, administrator, failures, findings } = result;
  const open = findings.filter(({ status }) => status === 'fault' || status === 'warning');
  return [
    ...files.map((path) => `Wrote ${path}.`),
    ...(bucketCreated ? ['Created the bucket.'] : []),
    ...(migrations.length > 0 ? [`Applied ${migrations.length} changes to the schema.`] : []),
    ...(account
      ? [
          `Account  ${account.email}`,
          `API key  ${account.apiKey}`,
          'The key is not shown again: store it where the client finds it.',
        ]
      : []),
    ...(administrator?.isPromoted ? [`${administrator.email} is an administrator now.`] : []),
    ...(hasChanged(result) || failures.length > 0 ? [] : ['Nothing changed: everything was already set up.']),
    ...failures.map((failure) => `Not done: ${failure}`),
    ...findingLines(open),
    ...(open.length > 0 ? [''] : []),
    ...(findings.length > 0 ? [`Examined everything: ${summarize(findings)}`] : []),
    ...(failures.length > 0
      ? [`Correct this, in ${environmentPath(dir)} or with --set, and run this command again.`]
      : []),
    ...(hasAccounts || failures.length > 0 ? [] : ['There is no account yet: waybilld setup --administrator ADDRESS']),
    ...(files.length > 0
      ? [`Copy the master keys and the pepper from ${dir} to a safe place: they cannot be replaced.`]
      : []),
    ...(hasChanged(result) && failures.length === 0
      ? [
          'Next, start or restart `waybilld serve` and `waybilld work`; with systemd: systemctl restart waybill-work waybill-serve',
        ]
      : []),
    ...(administrator?.link === undefined
      ? []
      : [
          `Then open this link in a browser, as ${administrator.email}, to choose how you sign in and to send the first files:`,
          administrator.link,
          'It can be used once, within 7 days. Until then, this command prints another one.',
        ]),
  ];
}
