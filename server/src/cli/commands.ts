import { pino } from 'pino';
import type { WithEngines } from '../admin/command.ts';
import type { Diagnose } from '../admin/doctor.ts';
import { assemble } from '../assemble/assemble.ts';
import { assembleExaminations } from '../assemble/assemble-examinations.ts';
import { listUsedMasterKeys } from '../assemble/assemble-master-keys.ts';
import { givenSettings, inspectConfig, readConfig } from '../config/config.ts';
import { readSudoUser } from '../config/service-environment.ts';
import type { ByCommand } from '../domain/audit/audit-store.ts';
import { commandAuthor } from '../domain/audit/author.ts';
import { diagnose } from '../domain/doctor/diagnose.ts';
import { userName } from '../host/user-name.ts';
import { throwDatabaseUnreachable } from '../services/wait-for-engines.ts';
import { askOnTerminal } from './setup/ask-on-terminal.ts';
import { actAsServicesUser, becomeServicesUser } from './setup/become-services-user.ts';
import type { SetUp } from './setup/command.ts';
import { setUp } from './setup/setup.ts';

export async function withEngines(...[command, options]: Parameters<WithEngines>): Promise<void> {
  const engines = assemble(readConfig(), pino({ level: 'silent' }), options?.role ?? 'admin', { migrationWaits });
  const administrator = nameAdministrator();
  try {
    if (options?.migrateFirst !== false) {
      await engines.requireSchema().catch(throwDatabaseUnreachable);
      await engines.migrate(administrator).catch(throwDatabaseUnreachable);
      await engines.checkPepper().catch(throwDatabaseUnreachable);
    }
    await command({ ...engines, administrator });
  } finally {
    await engines.close();
  }
}

function migrationWaits(message: string): void {
  process.stderr.write(`waybilld: ${message}\n`);
}

function nameAdministrator(): ByCommand['administrator'] {
  return commandAuthor({ user: userName(), sudoUser: readSudoUser() });
}

export function diagnoseParts(...[{ parts, dnsServer }]: Parameters<Diagnose>): ReturnType<Diagnose> {
  const examinations = Object.entries(assembleExaminations(inspectConfig(), { dnsServer }));
  return diagnose(Object.fromEntries(examinations.filter(([name]) => parts.includes(name))));
}

export function runSetup(...[{ mayAsk, ...options }]: Parameters<SetUp>): ReturnType<SetUp> {
  // Only for the variables of libraries in the environment file: the settings there are read by the set-up itself.
  inspectConfig();
  // Before it becomes the services' user.
  const administrator = nameAdministrator();
  return setUp(options, {
    given: givenSettings(),
    ask: mayAsk ? askOnTerminal : undefined,
    listUsedMasterKeys: (config) => actAsServicesUser(() => listUsedMasterKeys(config)),
    open: (config) => {
      // All files are written, which needed root.
      becomeServicesUser();
      const engines = assemble(config, pino({ level: 'silent' }), 'admin', { migrationWaits });
      const prepareDatabase = async () => {
        const applied = await engines.migrate(administrator);
        await engines.checkPepper();
        return applied;
      };
      return { ...engines, administrator, migrate: () => prepareDatabase().catch(throwDatabaseUnreachable) };
    },
    diagnose: (settings) => {
      // No `serve` is running yet that could respond through the proxy.
      const { proxy: _, ...examinations } = assembleExaminations(inspectConfig(settings));
      return diagnose(examinations);
    },
  });
}
