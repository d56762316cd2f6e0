import type { Assembly } from '../../assemble/assemble.ts';
import { type Config, readConfig } from '../../config/config.ts';
import type { Settings } from '../../config/environment-file.ts';
import { createAccount } from '../../domain/accounts/change-account.ts';
import type { ByCommand } from '../../domain/audit/audit-store.ts';
import type { Finding } from '../../domain/doctor/finding.ts';
import { reason } from '../../domain/doctor/finding.ts';
import { invitePerson } from '../../domain/people/invite-person.ts';
import { SetupError } from '../../domain/setup-error.ts';
import { type Ask, askForMissing, mergeSettings } from './gather-settings.ts';
import { ProtectedFiles } from './protected-files.ts';
import { readSettings, writeSettings } from './write-settings.ts';

export interface SetupOptions {
  readonly dir: string;
  /** The most specific source of settings, before the environment and the environment file. */
  readonly set: Settings;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  /** The address of the person who administers the server. */
  readonly administrator?: string | undefined;
  /** Where the key of a new account is also written. */
  readonly apiKeyFile?: string | undefined;
  /** Whether everything is examined at the end. */
  readonly doctor?: boolean | undefined;
}

export interface SetupNeeds {
  /** The settings in the environment. */
  readonly given: Settings;
  /** Undefined if there is no one to ask. */
  readonly ask: Ask | undefined;
  /** Lists the master keys that stored keys need. */
  readonly listUsedMasterKeys: (config: Config) => Promise<readonly unknown[]>;
  readonly open: (
    config: Config,
  ) => Pick<Assembly, 'createBucket' | 'migrate' | 'store' | 'random' | 'pepper' | 'personLinks' | 'close'> & ByCommand;
  readonly diagnose: (settings: Settings) => Promise<readonly Finding[]>;
}

export interface SetupResult {
  /** The paths of the files that were written. */
  readonly files: readonly string[];
  readonly bucketCreated: boolean;
  readonly migrations: readonly string[];
  /** The new account, if one was created. */
  readonly account: { readonly email: string; readonly apiKey: string } | undefined;
  readonly hasAccounts: boolean;
  /**
   * The first administrator, with the link at which they choose how to sign in; without it, they have done so. A person
   * who was promoted was no administrator before.
   */
  readonly administrator:
    | { readonly email: string; readonly link: string | undefined; readonly isPromoted: boolean }
    | undefined;
  /** Why a step was not taken; the findings say what to do. */
  readonly failures: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Everything from an empty machine to a first account and a first administrator. Each step is taken only if it is not done yet, so the command
 * can be repeated, and continues where it failed.
 */
export async function setUp(options: SetupOptions, needs: SetupNeeds): Promise<SetupResult> {
  const files = new ProtectedFiles();
  const known = mergeSettings(readSettings(files, options.dir), needs.given, options.set);
  const given = needs.ask ? await askForMissing(known, needs.ask) : known;
  const settings = await writeSettings(files, options.dir, given, (config) => requireUnusedKeys(config, needs));

  const engines = needs.open(readConfig(settings));
  const failures: string[] = [];
  const tryStep = async <Result>(step: string, work: () => Promise<Result>): Promise<Result | undefined> =>
    work().catch((error: unknown) => void failures.push(`${step}: ${reason(error)}.`));
  try {
    const bucketCreated = (await tryStep('bucket', () => engines.createBucket())) ?? false;
    const migrations = await tryStep('schema', () => engines.migrate());
    const account = migrations && (await tryStep('account', () => firstAccount(engines, options, needs.ask)));
    const created = typeof account === 'object' ? account : undefined;
    const { apiKeyFile } = options;
    if (created && apiKeyFile !== undefined) {
      await tryStep('API key', async () => files.write(apiKeyFile, `${created.apiKey}\n`));
    }
    const administrator =
      migrations && (await tryStep('administrator', () => firstAdministrator(engines, options, needs.ask)));
    const hasAccounts = administrator !== undefined || (account !== undefined && account !== 'none');
    return {
      files: files.written,
      bucketCreated,
      migrations: migrations ?? [],
      account: created,
      hasAccounts,
      administrator,
      failures,
      findings: options.doctor === false ? [] : await needs.diagnose(settings),
    };
  } finally {
    await engines.close();
  }
}

/** A new master key opens nothing of what is stored. A database that cannot be asked is not set up yet, or is away. */
async function requireUnusedKeys(
  config: Config,
  { listUsedMasterKeys }: Pick<SetupNeeds, 'listUsedMasterKeys'>,
): Promise<void> {
  if (config.WAYBILL_MASTER_KEYS !== 'file') return;
  const used = await listUsedMasterKeys(config).catch(() => []);
  if (used.length === 0) return;
  throw new SetupError(
    `${config.WAYBILL_MASTER_KEY_FILE} with the master keys is missing, and the database has keys that they have wrapped. Copy the file from the backup or another machine: without it, no stored file can be read. Nothing was changed.`,
  );
}

async function firstAccount(
  engines: Pick<Assembly, 'store' | 'random' | 'pepper'> & ByCommand,
  given: Pick<SetupOptions, 'email' | 'phone'>,
  ask: Ask | undefined,
): Promise<{ email: string; apiKey: string } | 'exists' | 'none'> {
  const { accounts } = engines.store;
  const isThere =
    given.email === undefined
      ? (await accounts.page('', 1)).length > 0
      : await accounts.byEmail(given.email.toLowerCase());
  if (isThere) return 'exists';
  const email =
    given.email ??
    (await ask?.(plainQuestion('The mail address of the first account of a program. Empty: create none now.')));
  if (!email) return 'none';
  const phone =
    given.phone ??
    (await ask?.(plainQuestion('Its mobile number: 7 to 15 digits, starting with the country code.'))) ??
    '';
  const { account, apiKey } = await createAccount(engines, { email, phone, type: 'api' });
  return { email: account.email, apiKey };
}

/**
 * Invites the administrator by a link that works once. Until they have used it, each run returns a new one, and the
 * earlier ones stop working.
 */
async function firstAdministrator(
  engines: Pick<Assembly, 'store' | 'random' | 'personLinks'> & ByCommand,
  given: Pick<SetupOptions, 'administrator'>,
  ask: Ask | undefined,
): Promise<SetupResult['administrator']> {
  let email = given.administrator;
  if (email === undefined && ask && (await engines.store.people.page('', 1)).length === 0) {
    email = await ask(
      plainQuestion('Your mail address, to administer the server and to send files in the browser. Empty: not now.'),
    );
  }
  if (!email) return undefined;
  const invitation = { email, isAdministrator: true, mail: false };
  const { person, link, isPromoted } = await invitePerson(engines, engines.administrator, invitation);
  return { email: person.email, link, isPromoted };
}

const plainQuestion = (text: string) => ({ text, suggestion: undefined, hidden: false, check: () => undefined });
