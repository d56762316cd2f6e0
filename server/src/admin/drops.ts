import { InvalidArgumentError, Option } from 'commander';
import type { Account } from '../domain/accounts/account-store.ts';
import { findAccount, listAccounts } from '../domain/accounts/read-accounts.ts';
import type { DropLine, DropState, ReceiverState } from '../domain/drops/drop-store.ts';
import { extendDrop } from '../domain/drops/extend-drop.ts';
import { findDropsByIdEnd, listDeliveryStates, listDrops } from '../domain/drops/read-history.ts';
import { revokeDrop } from '../domain/drops/revoke-drop.ts';
import type { Engines } from '../domain/engines.ts';
import { ExchangeError } from '../domain/exchange-error.ts';
import { readIdEnd, toReference } from '../domain/reference.ts';
import { type AddCommand, addExamples, parseTime, print, printPages } from './command.ts';
import { addListOptions, type ListOptions, printList, readPages } from './list.ts';
import { addDropArgument, findNamedDrop } from './named-drop.ts';

const receiversPerPage = 50;
const dropsPerPage = 500;
const accountsPerPage = 500;
/** Few drops share a reference. */
const maxFound = 10;
const exampleDrop = 'WB-7F3K-29QD';

export const dropCommands: AddCommand = (parent, withEngines) => {
  const drops = parent.command('drops').description('list, find, show, extend and revoke what accounts have sent');
  addExamples(
    drops,
    'waybilld admin drops list --account orders@example.org',
    `waybilld admin drops show ${exampleDrop}`,
  );

  const list = addListOptions(
    drops
      .command('list')
      .description(
        'list drops and requests: live, expired or revoked, and until when; those of an account newest first',
      )
      .option('--account <address>', 'only those of this account; of all, account by account, if it is left out')
      .addOption(new Option('--state <state>', 'only those in this state').choices(['live', 'expired', 'revoked']))
      .option('--since <time>', 'only those created at this time or later, such as 2026-11-15', parseTime),
  ).action((options: DropListOptions) =>
    withEngines(async (engines) => {
      const account = options.account === undefined ? undefined : await findAccount(engines, options.account);
      await printList(options, {
        rows: account ? readDrops(engines, account, options.since) : readAllDrops(engines, options.since),
        toShown: ({ drop, owner }) => ({
          id: drop.id,
          reference: toReference(drop.id),
          account: owner,
          type: drop.type,
          state: drop.state,
          created: new Date(drop.createdSeconds * 1000),
          deadline: drop.expiresAt,
          receivers: drop.receiverCount,
          files: drop.fileCount,
        }),
        isWanted: ({ state }) => options.state === undefined || state === options.state,
        columns: {
          REFERENCE: ({ reference }) => reference,
          ID: ({ id }) => id,
          ...(!account && { ACCOUNT: ({ account: owner }: { account: string }) => owner }),
          CREATED: ({ created }) => created.toISOString(),
          TYPE: ({ type }) => type,
          STATE: ({ state }) => state,
          RECEIVERS: ({ receivers }) => receivers,
          FILES: ({ files }) => files,
          UNTIL: ({ deadline }) => deadline.toISOString(),
        },
        none: account ? `${account.email} has no such drops.` : 'There are no such drops.',
      });
    }),
  );
  addExamples(
    list,
    'waybilld admin drops list --account orders@example.org',
    'waybilld admin drops list --state live --since 2026-11-15 --limit 20',
  );

  const find = drops
    .command('find')
    .description('find a drop or request by the reference that its mails and pages show')
    .argument('<reference>', 'the reference, such as WB-7F3K-29QD', parseReference)
    .option('--json', 'print one JSON array')
    .action((digits: string, options: { json?: boolean }) =>
      withEngines(async (engines) => {
        const found = await findDropsByIdEnd(engines, digits, maxFound);
        if (found.length === 0) throw new ExchangeError('not_found', 'No drop has this reference.');
        const lines = found.map(({ id, account, type, state, createdSeconds }) => ({
          id,
          account,
          type,
          state,
          created: new Date(createdSeconds * 1000),
        }));
        print(
          options.json,
          lines,
          lines.map(
            (line) => `${line.id}  ${line.created.toISOString()}  ${line.type}  ${line.state}  ${line.account}`,
          ),
        );
      }),
    );
  addExamples(find, 'waybilld admin drops find WB-7F3K-29QD');

  const show = addDropArgument(drops.command('show'))
    .description(
      'show what is known of each receiver of a drop, and what was sent to them; of a request, what each contact sent',
    )
    .option('--json', 'print one JSON array')
    .action((name: string, options: { account?: string; json?: boolean }) =>
      withEngines(async (engines) => {
        const { account, dropId: id } = await findNamedDrop(engines, name, options.account);
        await printPages(
          options.json,
          async (after?: ReceiverState) => {
            const states = await listDeliveryStates(engines, account.id, id, after?.position ?? -1, receiversPerPage);
            // Every drop has at least one receiver.
            if (!after && states.length === 0) {
              throw new ExchangeError('not_found', `${account.email} has no drop ${id}.`);
            }
            return states;
          },
          ({ position: _, ...state }) => state,
          describeState,
        );
      }),
    );
  addExamples(show, `waybilld admin drops show ${exampleDrop}`);

  const extend = addDropArgument(drops.command('extend'))
    .description('move the deadline of a live drop or request to a later time')
    .requiredOption('--until <time>', 'the new deadline, such as 2026-11-30T18:00:00Z', parseTime)
    .option('--json', 'print JSON')
    .action((name: string, options: { account?: string; until: Date; json?: boolean }) =>
      withEngines(async (engines) => {
        const { account, dropId: id } = await findNamedDrop(engines, name, options.account);
        await extendDrop(engines, account, id, options.until);
        print(options.json, { extended: id, deadline: options.until }, [
          `${id} can be used until ${options.until.toISOString()}.`,
        ]);
      }),
    );
  addExamples(extend, `waybilld admin drops extend ${exampleDrop} --until 2026-11-30T18:00:00Z`);

  const revoke = addDropArgument(drops.command('revoke'))
    .description('end a drop or request before its deadline; its files cannot be downloaded any more')
    .option('--json', 'print JSON')
    .action((name: string, options: { account?: string; json?: boolean }) =>
      withEngines(async (engines) => {
        const { account, dropId: id } = await findNamedDrop(engines, name, options.account);
        await revokeDrop(engines, account, id, engines.administrator);
        print(options.json, { revoked: id, reference: toReference(id) }, [`${id} (${toReference(id)}) is revoked.`]);
      }),
    );
  addExamples(revoke, `waybilld admin drops revoke ${exampleDrop}`);
};

interface DropListOptions extends ListOptions {
  account?: string;
  state?: DropState;
  since?: Date;
}

interface OwnedDrop {
  readonly drop: DropLine;
  readonly owner: string;
}

async function* readDrops(
  engines: Pick<Engines, 'store'>,
  { id, email: owner }: Account,
  since?: Date,
): AsyncGenerator<OwnedDrop> {
  for await (const drop of readPages((after?: DropLine) => listDrops(engines, id, after, dropsPerPage))) {
    // The newest come first.
    if (since && drop.createdSeconds * 1000 < since.getTime()) return;
    yield { drop, owner };
  }
}

async function* readAllDrops(engines: Pick<Engines, 'store'>, since?: Date): AsyncGenerator<OwnedDrop> {
  for await (const account of readPages((after?: Account) =>
    listAccounts(engines, after?.email ?? '', accountsPerPage),
  )) {
    yield* readDrops(engines, account, since);
  }
}

/** The digits that the ids of the drops with this reference end with. */
function parseReference(value: string): string {
  const digits = readIdEnd(value);
  if (digits === undefined) throw new InvalidArgumentError('Use a reference such as WB-7F3K-29QD.');
  return digits;
}

function describeState(state: Omit<ReceiverState, 'position'>): string {
  return [
    state.receiver,
    formatTime('notified', state.notifiedAt),
    ...(state.undeliverableAt
      ? [`${formatTime('undeliverable', state.undeliverableAt)}  ${state.undeliverableReason ?? ''}`.trimEnd()]
      : state.undeliverableReason
        ? [`  ${'tried again'.padEnd(16)}${state.undeliverableReason}`]
        : []),
    ...(state.type === 'uploadfiles' ? describeReceived(state) : describeSent(state)),
  ].join('\n');
}

function formatTime(what: string, at: Date | null): string {
  return `  ${what.padEnd(16)}${at?.toISOString() ?? '-'}`;
}

function describeSent(state: Omit<ReceiverState, 'position'>): string[] {
  if (state.isPurged) return ['  What was downloaded is no longer on record (WAYBILL_ACTIVITY_DAYS).'];
  return [
    ...describeOpened(state),
    formatTime('sent in full', state.completedAt),
    ...state.files.map((file) => `  ${file.deliveredBytes} of ${file.sizeBytes} bytes sent  ${file.name}`),
  ];
}

/** Of a request for files: they are entries in the inbox, and are known for as long as those. */
function describeReceived(state: Omit<ReceiverState, 'position'>): string[] {
  return [
    ...(state.isPurged
      ? ['  When the link was opened is no longer on record (WAYBILL_ACTIVITY_DAYS).']
      : describeOpened(state)),
    formatTime('first sent', state.completedAt),
    formatTime('last sent', state.lastReceivedAt),
    `  files: ${state.filesReceived}  sendings: ${state.sendings}`,
  ];
}

function describeOpened({ openedAt, passedAt }: Omit<ReceiverState, 'position'>): string[] {
  return [formatTime('opened', openedAt), formatTime('code passed', passedAt)];
}
