import { InvalidArgumentError } from 'commander';
import { findAccount } from '../domain/accounts/read-accounts.ts';
import { emailAddress } from '../domain/contacts/email-address.ts';
import { type BounceResult, maxBounceBytes, recordBounce } from '../domain/outbox/read-bounces.ts';
import { type MailFinding, testMail } from '../domain/outbox/test-mail.ts';
import { listStops, removeStop } from '../domain/stops/stop-mail.ts';
import type { StoppedAddress } from '../domain/stops/stop-store.ts';
import { type AddCommand, addAccountOption, addExamples, dnsServer, print } from './command.ts';
import { addListOptions, type ListOptions, printList, readPages } from './list.ts';

/**
 * On this exit code (sysexits.h), Postfix and others try again later. On any other code except 0 they discard the
 * report.
 */
const tryAgainLater = 75;

const explanations: Record<BounceResult, string> = {
  undeliverable: 'The receiver is marked as undeliverable, and the sender is told.',
  accepted: 'It is recorded that the receiving server has the mail.',
  recorded: 'The message is recorded as abandoned.',
  known: 'Nothing changed: the result of this message was known before.',
  'not a report': 'Nothing changed: it is not a delivery status notification.',
  'not ours': 'Nothing changed: it was not sent to the return path of a message of ours.',
  'not permanent': 'Nothing changed: it reports neither a delivery nor a permanent failure.',
};

export const mailCommands: AddCommand = (parent, withEngines) => {
  const mail = parent
    .command('mail')
    .description('test the mail set-up, record mails that were returned, and see who wants no more of them');
  addExamples(
    mail,
    'waybilld admin mail test you@example.org',
    'waybilld admin mail bounce',
    'waybilld admin mail stopped list --account orders@example.org',
  );

  const test = mail
    .command('test')
    .description('send a test mail, and report the mail server’s reply and what DNS says about the sender')
    .argument('<address>', 'the address to send it to', parseAddress)
    .option('--dkim-selector <name>', 'the selector that your mail server signs with; its key is looked up', selector)
    .option('--dns-server <address>', 'ask this DNS server instead of the system’s: IP or IP:PORT', dnsServer)
    .option('--json', 'print one JSON array')
    .action((to: string, options: { dkimSelector?: string; dnsServer?: string; json?: boolean }) =>
      withEngines(
        async (engines) => {
          const findings = await testMail(engines, engines.dns(options.dnsServer), to, options);
          print(options.json, findings, findings.flatMap(describeFinding));
          if (findings.some(({ state }) => state === 'missing' || state === 'failed')) process.exitCode = 1;
        },
        { migrateFirst: false },
      ),
    );

  addExamples(
    test,
    'waybilld admin mail test you@example.org',
    'waybilld admin mail test you@example.org --dkim-selector mail2026 --json',
  );

  const bounce = mail
    .command('bounce')
    .description('record a mail that was returned, read from standard input; run by the mail server (docs/mail.md)')
    .option('--json', 'print JSON')
    .action(async (options: { json?: boolean }) => {
      try {
        const returned = await readInput();
        await withEngines(
          async (engines) => {
            const result = await recordBounce(engines, returned);
            print(options.json, { result }, [explanations[result]]);
          },
          { migrateFirst: false },
        );
      } catch (error) {
        process.stderr.write(`waybilld: ${error instanceof Error ? error.message : String(error)}\n`);
        process.exitCode = tryAgainLater;
      }
    });
  addExamples(bounce, 'waybilld admin mail bounce');

  stoppedCommands(mail, withEngines);
};

function describeFinding({ check, state, found, advice }: MailFinding): string[] {
  const line = `${check.padEnd(12)}${state.padEnd(13)}${found}`;
  return advice === undefined ? [line] : [line, `${' '.repeat(25)}${advice}`];
}

function parseAddress(value: string): string {
  try {
    return emailAddress(value);
  } catch {
    throw new InvalidArgumentError('Use a mail address such as you@example.org.');
  }
}

function selector(value: string): string {
  if (!/^[a-z0-9](?:[a-z0-9._-]{0,61}[a-z0-9])?$/i.test(value)) {
    throw new InvalidArgumentError('Use a name such as mail2026.');
  }
  return value;
}

/** Reads all of it, or its writer would fail. Keeps only as many bytes as a report can have, and one more. */
async function readInput(): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let kept = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    const part = chunk.subarray(0, maxBounceBytes + 1 - kept);
    kept += part.length;
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

const addressesPerPage = 500;

const stoppedCommands: AddCommand = (parent, withEngines) => {
  const stopped = parent
    .command('stopped')
    .description('list the addresses that want no more mail from an account, and allow it again');
  addExamples(
    stopped,
    'waybilld admin mail stopped list --account orders@example.org',
    'waybilld admin mail stopped remove kim@example.net --account orders@example.org',
  );

  const list = addListOptions(
    addAccountOption(stopped.command('list')).description(
      'list the addresses that want no more mail from an account, and since when',
    ),
  ).action((options: ListOptions & { account: string }) =>
    withEngines(async (engines) => {
      const account = await findAccount(engines, options.account);
      await printList(options, {
        rows: readPages((after?: StoppedAddress) =>
          listStops(engines, account.id, after?.address ?? '', addressesPerPage),
        ),
        toShown: (row) => row,
        columns: { ADDRESS: ({ address }) => address, STOPPED: ({ stoppedAt }) => stoppedAt.toISOString() },
        none: `No one has stopped mails from ${account.email}.`,
      });
    }),
  );
  addExamples(list, 'waybilld admin mail stopped list --account orders@example.org --json');

  const remove = stopped
    .command('remove')
    .description('send mail from an account to an address again, if the person has asked you to')
    .argument('<address>', 'the address, as `mail stopped list` shows it')
    .requiredOption('--account <address>', 'the account')
    .option('--json', 'print JSON')
    .action((address: string, options: { account: string; json?: boolean }) =>
      withEngines(async (engines) => {
        const account = await findAccount(engines, options.account);
        await removeStop(engines, account, address);
        print(options.json, { allowed: address }, [`${address} can get mail from ${account.email} again.`]);
      }),
    );
  addExamples(remove, 'waybilld admin mail stopped remove kim@example.net --account orders@example.org');
};
