import { realpath } from 'node:fs/promises';
import { isWaybillError } from '../../errors.ts';
import type { InboxEntry } from '../../generated/wire.ts';
import { defaultRuntime } from '../../runtime.ts';
import { makeFolder } from '../../transfer/make-folder.ts';
import type { Waybill } from '../../waybill.ts';
import type { ClaimStore, Verdict, WorkProblem } from '../../work/work-options.ts';
import { openClient } from '../account.ts';
import { takeFirst } from '../commands/lists.ts';
import { describeError } from '../error-report.ts';
import { CommandError, exitCodes, SilentExit } from '../exit-codes.ts';
import { formatDate, pluralize } from '../terminal/format.ts';
import { Progress } from '../terminal/progress.ts';
import type { Output, Terminal } from '../terminal/terminal.ts';
import type { PullContext } from './finish-file.ts';
import { currentDay, EntryPuller, IncompleteEntryError } from './pull-entry.ts';
import { isFaultOfMachine } from './pull-faults.ts';
import { PullJournal } from './pull-journal.ts';
import { isDiskFull, requireRoomForJournal } from './room.ts';

export interface PullCommandOptions {
  watch?: boolean;
  every: number;
  hook?: string;
}

const lockPollMs = 500;

export async function pullFiles(
  terminal: Terminal,
  output: Output,
  signal: AbortSignal,
  dir: string,
  { watch = false, every, hook }: PullCommandOptions,
): Promise<void> {
  const { client, account } = await openClient(terminal, output);
  await makeFolder(dir);
  const folder = await realpath(dir);
  using journal = await openJournal(folder, `${account.user} ${new URL(account.url).href}`, output, signal);
  const progress = new Progress(terminal);
  const puller = new Puller({ client, journal, folder, hook, watch, every, terminal, output, progress, signal });
  await puller.run();
  if (signal.aborted) {
    if (watch) throw new SilentExit(exitCodes.interrupted);
    throw signal.reason;
  }
  const { received, left } = puller;
  if (received + left === 0) output.notice(await describeWaiting(client, signal));
  client.close();
  if (left > 0) {
    const next = 'See the messages above, then pull again later; only missing files are downloaded.';
    throw new CommandError(
      exitCodes.incomplete,
      'incomplete',
      `${pluralize(left, 'file')} could not be completed.`,
      next,
    );
  }
}

/** An inbox can be long. */
const maxListedEntries = 100;

/** Says why there is nothing to download: entries may be waiting after a failure. */
async function describeWaiting(client: Waybill, signal: AbortSignal): Promise<string> {
  const times: number[] = [];
  for await (const entry of takeFirst(client.inbox.list({ state: 'available', signal }), maxListedEntries)) {
    const at = Date.parse(entry.available_at ?? '');
    if (entry.attempts > 0 && at > Date.now()) times.push(at);
  }
  if (times.length === 0) return 'There is nothing new.';
  const until = formatDate(new Date(Math.min(...times))).slice(-'00:00'.length);
  return `${pluralize(times.length, 'entry waits', 'entries wait')} until ${until} after a failure.`;
}

/** Waits for another process that pulls into the same folder. */
async function openJournal(folder: string, account: string, output: Output, signal: AbortSignal): Promise<PullJournal> {
  for (let waited = false; ; waited = true) {
    const journal = await PullJournal.open(folder, account);
    if (journal) return journal;
    if (!waited) output.notice(`Another pull is running in ${folder}; waiting for it to end.`);
    await defaultRuntime.sleep(lockPollMs, signal);
  }
}

/** Pulls the entries of the inbox one by one. */
class Puller implements ClaimStore {
  /** The files that could not be completed. */
  left = 0;
  readonly #context: PullContext;
  readonly #entries: EntryPuller;
  #purgedOn = 0;
  /** The last message about a fault for which the pull waits. */
  #reported = '';

  constructor(context: PullContext) {
    this.#context = context;
    this.#entries = new EntryPuller(context);
  }

  get received(): number {
    return this.#entries.received;
  }

  async run(): Promise<void> {
    const { client, watch, every, signal } = this.#context;
    await client.inbox.work((entry) => this.#entries.pull(entry), {
      signal,
      untilEmpty: !watch,
      pollSeconds: every,
      claimStore: this,
      judge: (error) => judgeError(error, watch),
      onError: (problem) => this.#report(problem),
    });
  }

  async list() {
    const key = this.#context.journal.findClaim();
    return key === undefined ? [] : [{ key, max: 1 }];
  }

  /** Nothing is claimed while the journal cannot be written. */
  async begin({ key }: { key: string }): Promise<void> {
    const { journal, folder, watch, every, output, signal } = this.#context;
    for (let isReported = false; ; isReported = true) {
      try {
        await requireRoomForJournal(folder);
        if (this.#purgedOn !== currentDay()) journal.purge(currentDay());
        this.#purgedOn = currentDay();
        return journal.beginClaim(key);
      } catch (error) {
        if (!watch || !isDiskFull(error)) throw error;
        if (!isReported) output.printError(describeError(error));
        await defaultRuntime.sleep(every * 1000, signal);
      }
    }
  }

  async end({ key }: { key: string }): Promise<void> {
    this.#context.journal.endClaim(key);
  }

  #report({ error, outcome, entry }: WorkProblem): void {
    const { output, progress, every } = this.#context;
    progress.clear();
    if (outcome === 'waiting' || !entry) return output.printError(describeError(error));
    if (outcome === 'kept') {
      const report = describeError(error);
      const next = `The files from ${entry.sender} stay claimed, and are tried again every ${pluralize(every, 'second')}.`;
      if (report.message !== this.#reported) output.printError({ ...report, next });
      this.#reported = report.message;
      return;
    }
    this.#reported = '';
    this.left += error instanceof IncompleteEntryError ? error.left : entry.file_count;
    if (outcome === 'lost') return output.printError(describeLostLease(entry));
    if (!(error instanceof IncompleteEntryError)) output.printError(describeFault(error, entry));
    output.printError(describeReturn(entry));
  }
}

/** Decides what becomes of an entry after an error. Only its own files and their hooks refuse it. */
function judgeError(error: unknown, watch: boolean): Verdict {
  if (error instanceof IncompleteEntryError) return 'refuse';
  if (isDiskFull(error)) return 'return';
  if (!watch) return 'stop';
  if (isFaultOfMachine(error)) return 'keep';
  return isWaybillError(error, 'internal', 'unexpected_response') ? 'return' : 'stop';
}

type Report = Parameters<Output['printError']>[0];

function describeLostLease({ sender }: InboxEntry): Report {
  const message = `The lease of the files from ${sender} was lost.`;
  return { code: 'lease_not_held', message, next: 'Another pull may download them.' };
}

/** Describes why an entry is given back. One that was kept before is the only one that the server cannot read. */
function describeFault(error: unknown, { sender }: InboxEntry): Report {
  if (!isWaybillError(error) || !error.isRetryable) return describeError(error);
  const message = `The server can read other files, but not those from ${sender}.`;
  return { code: error.code, message, next: 'They are given back, and other files are downloaded meanwhile.' };
}

/** Says when an entry that was given back can be claimed again. */
function describeReturn({ id, sender, attempts, available_at: from }: InboxEntry): Report {
  const given = `The files from ${sender} were given back after attempt ${attempts}`;
  if (from !== null) {
    return { code: 'given_back', message: `${given}, and wait until ${from}.`, next: 'They are pulled again then.' };
  }
  return { code: 'parked', message: `${given}, and are parked.`, next: `To try again: waybill release ${id}` };
}
