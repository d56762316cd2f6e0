import { lstat, opendir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { isWaybillError } from '../../errors.ts';
import { toDeliveryFields } from '../../resources/delivery-options.ts';
import { defaultRuntime } from '../../runtime.ts';
import { makeFolder } from '../../transfer/make-folder.ts';
import { openClient } from '../account.ts';
import { type DeliveryCommandOptions, toDelivery } from '../commands/delivery.ts';
import type { Context } from '../context.ts';
import { describeError } from '../error-report.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { pluralize } from '../terminal/format.ts';
import { Progress } from '../terminal/progress.ts';
import type { Output } from '../terminal/terminal.ts';
import { Archive } from './archive.ts';
import { FolderHints } from './folder-hints.ts';
import { FolderScan } from './folder-scan.ts';
import { FolderSender } from './folder-sender.ts';
import { ignoredPatterns, matchNames } from './ignored-names.ts';
import { failedFolder, sendingFolder, sentFolder } from './own-folders.ts';
import { ReceiverCheck } from './receiver-check.ts';
import { WatchEvents } from './watch-events.ts';
import { judgeFault } from './watch-faults.ts';
import { WatchJournal } from './watch-journal.ts';

export interface WatchCommandOptions extends Omit<DeliveryCommandOptions, 'to' | 'key' | 'dryRun'> {
  to?: string[];
  byFolder?: boolean;
  settle: number;
  every: number;
  marker?: boolean;
  ignore?: string[];
  once?: boolean;
}

const secondMs = 1_000;

/** Sends every file that is put into a folder, once. */
export async function watchFolder(context: Context, dir: string, options: WatchCommandOptions): Promise<void> {
  const { terminal, output, signal } = context;
  const { to = [], byFolder = false, settle, every, marker = false, ignore = [], once = false, ...delivery } = options;
  if (byFolder === to.length > 0) {
    const message = byFolder ? '--to cannot be used with --by-folder.' : 'No receiver was given.';
    throw new CommandError(exitCodes.usage, 'usage', message, 'Use --to for all files, or --by-folder.');
  }
  const { client, account } = await openClient(terminal, output);
  // It is not created: files may be put into another one, whose name was meant.
  const root = await realpath(dir);
  if (!(await lstat(root)).isDirectory())
    throw new CommandError(exitCodes.failed, 'not_a_folder', `${dir} is not a folder.`, 'Name a folder.');
  using journal = await openJournal(root, `${account.user} ${new URL(account.url).href}`);
  for (const name of [sendingFolder, sentFolder, failedFolder]) await makeOwnFolder(root, name);

  const progress = new Progress(terminal);
  const events = new WatchEvents(output, progress);
  const toFields = (folder: string) => toDeliveryFields(toDelivery({ ...delivery, to: byFolder ? [folder] : to }));
  const receivers = new ReceiverCheck(client, events, toFields);
  using hints = new FolderHints(root);
  hints.add('');
  const settleMs = settle * secondMs;
  const scan = new FolderScan({
    root,
    byFolder,
    settleMs,
    marker,
    events,
    isIgnored: matchNames([...ignoredPatterns, ...ignore]),
    acceptsFolder(folder) {
      hints.add(folder);
      return !receivers.isRefused(folder, performance.now());
    },
  });
  const archive = new Archive(root);
  const runtime = defaultRuntime;
  const ended = new AbortController();
  const active = AbortSignal.any([signal, ended.signal]);
  const held = { root, client, journal, archive, events, progress, settleMs, runtime, signal: active };
  const sender = new FolderSender({ ...held, scan, receivers, toFields, onFailure: () => hints.wake() });
  try {
    await reportOrphans(root, journal, events);
    // A wrong key, receiver or option is refused at once, rather than with the first file.
    const access = byFolder ? client.account({ signal }) : receivers.check('', signal);
    await access.catch((error: unknown) => {
      // A server that is away is waited for.
      if (once || signal.aborted || !(judgeFault(error) === 'pause' || isWaybillError(error, 'internal'))) throw error;
      printPause(output, error);
    });
    if (once) await sendOnce(sender, scan, events, journal, marker ? undefined : settleMs, signal);
    else await keepSending(context, sender, scan, hints, { settleMs, everyMs: every * secondMs });
  } catch (error) {
    // A stop is the only end of a watch, and nothing is lost: the next one continues.
    if (!signal.aborted || once) throw error;
  } finally {
    ended.abort();
    await sender.pause();
    progress.clear();
    client.close();
  }
}

async function openJournal(root: string, account: string): Promise<WatchJournal> {
  const journal = await WatchJournal.open(root, account);
  if (journal === undefined) {
    const message = `Another watch is running in ${root}.`;
    throw new CommandError(exitCodes.temporary, 'in_use', message, 'Stop it first, or watch another folder.');
  }
  const other = journal.findOtherAccount();
  if (other === undefined) return journal;
  journal[Symbol.dispose]();
  const message = `Files in ${join(root, sendingFolder)} are being sent for another account: ${other}.`;
  throw new CommandError(exitCodes.account, 'another_account', message, 'Let a watch with that account finish them.');
}

/** Creates a folder that is a real one: a link could lead to files of somebody else. */
async function makeOwnFolder(root: string, name: string): Promise<void> {
  const path = join(root, name);
  await makeFolder(path, name === sendingFolder ? 0o700 : 0o777);
  if ((await lstat(path)).isDirectory()) return;
  throw new CommandError(exitCodes.failed, 'not_a_folder', `${path} is not a folder.`, 'Rename it.');
}

/** Reports files that somebody has put where only the journal's files are. */
async function reportOrphans(root: string, journal: WatchJournal, events: WatchEvents): Promise<void> {
  for await (const { name } of await opendir(join(root, sendingFolder))) {
    if (journal.has(name)) continue;
    const path = join(root, sendingFolder, name);
    const message = `${path} is not in the journal, and is not sent: it may have been sent before.`;
    await events.hindered({
      status: 'ignored',
      path,
      message,
      next: 'Look for it: waybill history. Then move it away.',
    });
  }
}

/** Sends what is ready: after two looks, or with a marker after one. */
async function sendOnce(
  sender: FolderSender,
  scan: FolderScan,
  events: WatchEvents,
  journal: WatchJournal,
  settleMs: number | undefined,
  signal: AbortSignal,
): Promise<void> {
  await sender.sendHeld(Number.POSITIVE_INFINITY);
  do {
    await sender.sendReady();
    if (settleMs !== undefined) {
      await defaultRuntime.sleep(settleMs + slackMs, signal);
      await sender.sendReady();
    }
    await sender.finish();
    sender.throwFailure();
  } while (scan.isCrowded && sender.hasProgressed());
  const unfinished = journal.count();
  const { failed, ignored } = events.counts;
  if (unfinished + failed + ignored === 0) return;
  const message = `${pluralize(failed, 'file')} failed, ${unfinished} will be tried again, ${ignored} were not sent.`;
  throw new CommandError(exitCodes.incomplete, 'incomplete', message, 'See the messages above.');
}

/** A timer may end a little too early. */
const slackMs = 10;
/** The shortest time between two looks. */
const minWaitMs = 200;
const [firstPauseMs, maxPauseMs] = [5_000, 600_000];

async function keepSending(
  { output, signal }: Context,
  sender: FolderSender,
  scan: FolderScan,
  hints: FolderHints,
  { settleMs, everyMs }: { settleMs: number; everyMs: number },
): Promise<never> {
  let pauseMs = firstPauseMs;
  for (;;) {
    try {
      await sender.sendHeld(defaultRuntime.now());
      const lookMs = await sender.sendReady();
      if (sender.hasProgressed()) pauseMs = firstPauseMs;
      // An event ends a wait, but a large folder is not looked at all the time.
      const restMs = Math.max(minWaitMs, 10 * lookMs);
      await defaultRuntime.sleep(Math.min(restMs, everyMs), signal);
      sender.throwFailure();
      const settleLeftMs = scan.isUnsettled ? Math.max(0, settleMs + slackMs - restMs) : everyMs;
      await hints.wait(Math.min(settleLeftMs, everyMs, sender.nextAttemptInMs()), signal);
      sender.throwFailure();
    } catch (error) {
      if (signal.aborted || !['pause', 'later'].includes(judgeFault(error))) throw error;
      await sender.pause();
      printPause(output, error);
      await defaultRuntime.sleep(pauseMs * (0.9 + 0.2 * defaultRuntime.random()), signal);
      pauseMs = Math.min(maxPauseMs, pauseMs * 2);
    }
  }
}

function printPause(output: Output, error: unknown): void {
  const { next: _next, ...report } = describeError(error);
  output.printError({ ...report, next: 'What is being sent is kept, and is tried again by itself.' });
}
