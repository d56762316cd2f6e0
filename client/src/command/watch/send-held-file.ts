import { join } from 'node:path';
import { ignoreNotFound, isWaybillError, WaybillError } from '../../errors.ts';
import type { CreatedDrop, Upload } from '../../generated/wire.ts';
import type { Runtime } from '../../runtime.ts';
import type { Waybill } from '../../waybill.ts';
import { describeError } from '../error-report.ts';
import { formatSize } from '../terminal/format.ts';
import type { Progress } from '../terminal/progress.ts';
import type { Archive, FailureNote, SendReceipt } from './archive.ts';
import { abandonClaim, heldFolder, heldPath, resumeClaim, returnFile } from './claim-file.ts';
import { isSameFile, isUnchanged, lookAt } from './file-look.ts';
import { adviseOnFailed, adviseOnWaiting } from './watch-advice.ts';
import type { WatchEvents } from './watch-events.ts';
import { judgeFault } from './watch-faults.ts';
import type { DeliveryFields, HeldFile, WatchJournal } from './watch-journal.ts';

export interface HeldFileContext {
  root: string;
  client: Waybill;
  journal: WatchJournal;
  archive: Archive;
  events: WatchEvents;
  progress: Progress;
  settleMs: number;
  runtime: Pick<Runtime, 'now' | 'random' | 'uuid'>;
  signal: AbortSignal;
}

/** The server stores a key for 7 days. With an older one, a drop could be created a second time. */
const keyLifetimeMs = 6 * 24 * 3600 * 1000;
/** The first delay of a file that cannot be sent now; it doubles with every further attempt. */
const firstDelayMs = 30_000;
const maxDelayMs = 3_600_000;

/** The file is different from the one that was claimed: somebody still writes to it. */
class FileChangedError extends Error {}

/**
 * Takes a claimed file from its current state to the last one, however often it is interrupted. Throws faults that every
 * other file would meet; others are reported, and the file is tried again or moved to `failed`.
 */
export async function sendHeldFile(context: HeldFileContext, held: HeldFile): Promise<void> {
  const { journal, signal } = context;
  let file = held;
  const change = (changes: Partial<HeldFile>) => {
    journal.update(file.id, changes);
    file = { ...file, ...changes };
  };
  try {
    if (file.state === 'claimed') {
      if (!(await isClaimed(context, file))) return;
      change(await uploadFile(context, file));
    } else if (file.state === 'uploaded') {
      await requireUnchanged(context, file);
    }
    if (file.state === 'uploaded') change(await createDrop(context, file));
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof FileChangedError) return await handleChange(context, file);
    const judged = judgeFault(error);
    if (judged === 'end' || judged === 'pause') throw error;
    if (judged === 'later') return await postpone(context, file, error);
    change({ state: 'refused', outcome: JSON.stringify(toFailureNote(context, file, error)) });
  }
  try {
    await finishFile(context, file);
  } catch (error) {
    if (signal.aborted || judgeFault(error) !== 'later') throw error;
    await postpone(context, file, error);
  }
}

/** Returns false if there is no file, which is not claimed or was removed. */
async function isClaimed(context: HeldFileContext, file: HeldFile): Promise<boolean> {
  const { root, journal, events } = context;
  if ((await lookAt(heldPath(root, file))) !== undefined) return true;
  const resumed = await resumeClaim(root, journal, file);
  if (resumed === 'claimed') return true;
  if (resumed === 'changed') await askForMarker(context, join(root, file.folder, file.name));
  else if (file.attempts > 0) {
    const message = `${file.name} was removed before it was sent.`;
    await events.hindered({ status: 'ignored', path: heldPath(root, file), message, next: 'Nothing has to be done.' });
  }
  return false;
}

/** Uploads a file, and makes sure that nobody has written to it from its claim to the end of the upload. */
async function uploadFile(context: HeldFileContext, file: HeldFile): Promise<Partial<HeldFile>> {
  const { root, client, progress, runtime, signal } = context;
  const path = heldPath(root, file);
  const before = await lookAt(path);
  if (before === undefined || before.content !== file.content) throw new FileChangedError();
  if (!before.isFile) throw new WaybillError('source_failed', `${file.name} is not a file.`);
  const isStillUnchanged = async () => isUnchanged(before, await lookAt(path));
  let upload: Upload;
  try {
    upload = await client.uploads.upload(
      { path, name: file.name },
      {
        idempotencyKey: `${file.id}-${file.round}`,
        signal,
        onProgress: ({ sentBytes, totalBytes }) => progress.show({ name: file.name, bytes: sentBytes, totalBytes }),
      },
    );
  } catch (error) {
    if (!signal.aborted && !(await isStillUnchanged())) throw new FileChangedError();
    throw error;
  }
  if (upload.size !== before.size || !(await isStillUnchanged())) {
    await ignoreNotFound(client.uploads.delete(upload.id, { signal }));
    throw new FileChangedError();
  }
  return { state: 'uploaded', upload: JSON.stringify(upload), keyUsedAt: runtime.now() };
}

/**
 * Makes sure, after an interruption, that what was uploaded is still what the file contains. If the upload can be removed,
 * no drop has it, and none will.
 */
async function requireUnchanged({ root, client, signal }: HeldFileContext, file: HeldFile): Promise<void> {
  const now = await lookAt(heldPath(root, file));
  if (now === undefined || now.content === file.content) return;
  const upload = JSON.parse(file.upload ?? '{}') as Upload;
  const removed = client.uploads.delete(upload.id, { signal }).then(() => true);
  if ((await ignoreNotFound(removed)) === true) throw new FileChangedError();
}

async function createDrop(context: HeldFileContext, file: HeldFile): Promise<Partial<HeldFile>> {
  const { client, runtime, signal } = context;
  if (runtime.now() - (file.keyUsedAt ?? 0) > keyLifetimeMs) throw new UnknownOutcomeError(file);
  const { id, size, sha256, scan, unscanned_reason } = JSON.parse(file.upload ?? '{}') as Upload;
  const delivery = JSON.parse(file.delivery) as DeliveryFields;
  let drop: CreatedDrop;
  try {
    drop = await client.drops.create({ ...delivery, uploads: [id] }, { idempotencyKey: file.id, signal });
  } catch (error) {
    // The key was used with another API key or another upload, so a drop was created with it before.
    if (isWaybillError(error, 'idempotency_key_reused')) throw new UnknownOutcomeError(file);
    throw error;
  }
  const receipt: SendReceipt = {
    status: 'sent',
    file: file.name,
    size,
    sha256,
    to: delivery.receivers.map(({ email }) => email),
    drop: drop.id,
    reference: drop.reference,
    sent_at: drop.created_at,
    expires_at: drop.expires_at,
    scan,
    unscanned_reason,
    idempotency_key: file.id,
  };
  return { state: 'sent', outcome: JSON.stringify(receipt) };
}

/** Nobody can say whether a drop was created: to try again could send the file twice. */
class UnknownOutcomeError extends WaybillError {
  constructor({ name }: HeldFile) {
    super('idempotency_key_reused', `${name} may have been sent before, but no response said so.`);
  }
}

/** Moves a finished file to `sent` or `failed`, and ends its claim. */
async function finishFile(context: HeldFileContext, file: HeldFile): Promise<void> {
  const { root, client, journal, archive, events, signal } = context;
  const note = JSON.parse(file.outcome ?? '{}') as SendReceipt | FailureNote;
  const { folder, name } = file;
  const path = await archive.store({ folder, name, held: heldFolder(root, file) }, note);
  if (note.status === 'sent') await events.sent(path, note);
  else {
    await events.failed(path, note);
    // It would count against the quota until the server removes it.
    const { id } = JSON.parse(file.upload ?? '{}') as Partial<Upload>;
    if (id !== undefined) await client.uploads.delete(id, { signal }).catch(() => undefined);
  }
  await abandonClaim(root, journal, file, false);
}

function toFailureNote({ runtime }: HeldFileContext, file: HeldFile, error: unknown): FailureNote {
  const { code, message } = describeError(error);
  const { receivers } = JSON.parse(file.delivery) as DeliveryFields;
  const isUnknown = error instanceof UnknownOutcomeError;
  return {
    status: 'failed',
    file: file.name,
    to: receivers.map(({ email }) => email),
    code: isUnknown ? 'unknown_outcome' : code,
    message: isUnknown ? error.message : addLimit(message, error),
    next: isUnknown
      ? 'Look for it: waybill history. If it is not there, move the file back to be sent.'
      : adviseOnFailed(error),
    failed_at: new Date(runtime.now()).toISOString(),
    idempotency_key: file.id,
  };
}

function addLimit(message: string, error: unknown): string {
  const size = isWaybillError(error) ? error.maxSize : undefined;
  return size === undefined ? message : `${message} The limit is ${formatSize(size)}.`;
}

/** Decides about a file that was not sent to anybody, because it is different from the one that was claimed. */
async function handleChange(context: HeldFileContext, file: HeldFile): Promise<void> {
  const { root, journal, events } = context;
  const content = (await lookAt(heldPath(root, file)))?.content;
  const isReplaced = content !== undefined && !isSameFile(content, file.content);
  if (content === undefined || (!isReplaced && file.marked === 0)) return await settleAgain(context, file, content);
  const path = await returnFile(root, journal, file);
  if (file.marked === 1) return await askForMarker(context, path);
  await events.hindered({
    status: 'ignored',
    path,
    code: 'changed',
    message: `${path} was replaced after it was looked at, and is not sent.`,
    next: 'It is sent when nobody writes to it any more.',
  });
}

async function askForMarker({ events }: HeldFileContext, path: string): Promise<void> {
  await events.hindered({
    status: 'ignored',
    path,
    code: 'changed',
    message: `${path} changed after its marker was created, and is not sent.`,
    next: 'Create the marker again.',
  });
}

/** Waits until nobody writes to a claimed file any more. */
async function settleAgain(context: HeldFileContext, file: HeldFile, content: string | undefined): Promise<void> {
  const { root, journal, events, settleMs, runtime } = context;
  const path = heldPath(root, file);
  journal.update(file.id, {
    state: 'claimed',
    content: content ?? file.content,
    round: file.round + 1,
    nextAttemptAt: runtime.now() + settleMs,
    keyUsedAt: null,
    upload: null,
  });
  await events.hindered({
    status: 'waiting',
    path,
    code: 'changed',
    message: `${file.name} changed while it was being sent, so it was not sent.`,
    next: 'It is sent when nobody writes to it any more. Move files into the folder when they are complete.',
  });
}

/** Tries a file again later, with a new upload if the server does not have the last one. */
async function postpone(context: HeldFileContext, file: HeldFile, error: unknown): Promise<void> {
  const { root, journal, events, runtime } = context;
  const delay = Math.min(maxDelayMs, firstDelayMs * 2 ** Math.min(file.attempts, 20)) * (0.9 + 0.2 * runtime.random());
  const isUploadLost = isWaybillError(error, 'not_found', 'upload_superseded', 'upload_worn_out', 'digest_mismatch');
  const startAgain = { state: 'claimed', round: file.round + 1, keyUsedAt: null, upload: null } as const;
  journal.update(file.id, {
    attempts: file.attempts + 1,
    nextAttemptAt: Math.round(runtime.now() + (isUploadLost && file.attempts === 0 ? 0 : delay)),
    ...(isUploadLost ? startAgain : {}),
  });
  const { code, message } = describeError(error);
  await events.hindered({
    status: 'waiting',
    path: heldPath(root, file),
    code,
    message: `${file.name}: ${message}`,
    next: adviseOnWaiting(error),
  });
}
