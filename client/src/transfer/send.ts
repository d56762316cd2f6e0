import { createHash } from 'node:crypto';
import type { CallOptions } from '../call-options.ts';
import { isWaybillError, WaybillError } from '../errors.ts';
import type { Account, CreatedDrop, Upload } from '../generated/wire.ts';
import {
  type DeliveryOptions,
  type SharedLinkOptions,
  toDeliveryFields,
  toSharedLinkFields,
} from '../resources/delivery-options.ts';
import type { Drops } from '../resources/drops.ts';
import type { Completion } from '../resources/wait-for-completion.ts';
import { expandFolders } from './expand-folders.ts';
import { type FileToSend, type Source, toSource } from './sources.ts';
import type { UploadProgress, Uploads } from './uploads.ts';

/** The files to send, their receivers, and for how long they can be downloaded. */
export interface SendOptions extends DeliveryOptions {
  /** One link for all receivers, or for anybody. It is in the result as `drop.shared_link.link`. */
  sharedLink?: SharedLinkOptions | undefined;
  /** Files and folders. The files of a folder keep their paths. */
  files: readonly FileToSend[];
  /** Stores finished uploads, for a call with the same `idempotencyKey` after this process was killed. */
  uploadStore?: UploadStore | undefined;
  /**
   * `completed` waits for the receivers, too, as `Drops.waitForCompletion` does; the result has `completion`. Defaults to
   * `sent`.
   */
  waitFor?: 'sent' | 'completed' | undefined;
  /** How long to wait for the receivers, in seconds. Without it, waits until the drop has ended. */
  timeoutSeconds?: number | undefined;
  /** Called whenever bytes of a file were sent. Several small files are sent at the same time. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** A finished upload. */
export interface SentFile {
  /** The name of the file, or its path in the folder that was sent. */
  path: string;
  /** The id of the upload. */
  id: string;
  /** The size in bytes. */
  size: number;
  /** The result of the virus scan; null if it is unknown, because an earlier call sent the file. */
  scan: Upload['scan'];
  /** Why it was not scanned for viruses; null if it was, or if that is unknown. */
  unscannedReason: Upload['unscanned_reason'];
}

/** The result of a check of a send. */
export interface CheckedSend {
  /** The files that would be sent. */
  files: {
    /** The name of the file, or its path in the folder that would be sent. */
    path: string;
    /** The size in bytes; unknown for a stream. */
    size: number | undefined;
  }[];
  /** The number of receivers. */
  receivers: number;
  /** For how many seconds the links could be used. */
  expiresIn: number;
}

/** Stores the finished uploads of a send, for another process that resumes it. */
export interface UploadStore {
  /** Returns the upload of the file with this path, if it is stored. */
  get(path: string): SentFile | undefined;
  /** Stores a finished upload. The send continues when it returns. */
  save(file: SentFile): Promise<void>;
}

/** The result of a send. */
export interface SendResult {
  /** The `idempotencyKey` of the call, or the one that it generated. */
  idempotencyKey: string;
  /** Whether an earlier call with the same key sent the drop, and this call sent nothing. */
  repeated: boolean;
  /** The drop that contains the files. */
  drop: CreatedDrop;
  /** The files, in the given order. */
  files: SentFile[];
  /** The end of the wait for the receivers, if `waitFor` is `completed`. */
  completion?: Completion | undefined;
}

/** Small files are uploaded concurrently, large ones alone. */
const concurrentSmallFiles = 4;
const smallFileBytes = 1024 * 1024;

/** @internal */
export interface NamedFile {
  path: string;
  source: Source;
  size: number | undefined;
}

/** The operations that a send needs. */
export interface SendNeeds {
  uploads: Uploads;
  drops: Drops;
  account: (options: CallOptions) => Promise<Account>;
  newKey: () => string;
}

/** Sends files and, if that is wanted, waits for their receivers. */
export async function send(needs: SendNeeds, options: SendOptions): Promise<SendResult> {
  const { waitFor = 'sent', timeoutSeconds, signal } = options;
  if (waitFor === 'sent') return await sendNow(needs, options);
  const sent = await sendNow(needs, options);
  return { ...sent, completion: await needs.drops.waitForCompletion(sent.drop.id, { timeoutSeconds, signal }) };
}

/** Uploads files and creates a drop. Checks everything else before the first byte is sent. */
async function sendNow(needs: SendNeeds, options: SendOptions): Promise<SendResult> {
  const { uploads, drops, newKey } = needs;
  const { signal } = options;
  const addressed = toFields(options);
  const wanted = await requireDistinctFiles(options.files);
  await checkDelivery(needs, wanted, options).catch((error: unknown) => {
    // An earlier call with this key may have sent the drop, and then the limit does not apply.
    if (options.idempotencyKey === undefined || !isWaybillError(error, 'daily_limit')) throw error;
  });
  const idempotencyKey = options.idempotencyKey ?? newKey();
  for (let round = 1; ; round += 1) {
    const files = await uploadAll(uploads, wanted, options, `${idempotencyKey} ${round}`, round === 1);
    const mayBeRepeated = options.idempotencyKey !== undefined && round === 1;
    // An upload that was sent cannot be found any more.
    const repeated = mayBeRepeated && (await uploads.find(files[0]?.id ?? '', { signal })) === undefined;
    try {
      const drop = await drops.create({ uploads: files.map(({ id }) => id), ...addressed }, { idempotencyKey, signal });
      return { idempotencyKey, repeated, drop, files };
    } catch (error) {
      // An upload of an earlier call was removed, and not sent.
      if (round > 1 || !isWaybillError(error) || !isUploadMissing(error)) throw error;
    }
  }
}

/** Checks whether a send would succeed, and sends nothing. */
export async function checkSend(needs: SendNeeds, options: SendOptions): Promise<CheckedSend> {
  const wanted = await requireDistinctFiles(options.files);
  const { receiver_count: receivers, expires_in: expiresIn } = await checkDelivery(needs, wanted, options);
  return { files: wanted.map(({ path, size }) => ({ path, size })), receivers, expiresIn };
}

/** Checks the sizes of the files, and everything about the drop but the uploads, which do not exist yet. */
async function checkDelivery(
  { drops, account }: SendNeeds,
  files: readonly NamedFile[],
  options: SendOptions,
): Promise<Awaited<ReturnType<Drops['check']>>> {
  const { signal } = options;
  const [checked, { limits }] = await Promise.all([
    drops.check({ uploads: [], ...toFields(options) }, { signal }),
    account({ signal }),
  ]);
  requireAllowedSizes(files, limits);
  return checked;
}

function toFields(options: SendOptions) {
  const { sharedLink } = options;
  return {
    ...toDeliveryFields(options, sharedLink?.kind === 'anybody'),
    ...(sharedLink && { shared_link: toSharedLinkFields(sharedLink) }),
  };
}

function requireAllowedSizes(files: readonly NamedFile[], limits: Account['limits']): void {
  const { file_size: maxSize, file_size_reason: reason, files_per_drop: maxFiles, stored_size: storedSize } = limits;
  if (files.length > maxFiles) {
    throw new WaybillError('too_many_files', `A drop may have ${maxFiles} files, and these are ${files.length}.`);
  }
  const tooLarge = files.find(({ size = 0 }) => size > maxSize);
  if (tooLarge) throw new WaybillError(tooLargeCodes[reason], `${tooLarge.path} is too large.`, { maxSize });
  if (storedSize !== null && files.reduce((sum, { size = 0 }) => sum + size, 0) > storedSize) {
    throw new WaybillError('storage_full', `The files are larger than all that the account may store.`);
  }
}

const tooLargeCodes = { file: 'too_large', storage: 'storage_full', scan: 'too_large_to_scan' } as const;

function isUploadMissing({ faults }: WaybillError): boolean {
  return faults.some(({ pointer, code }) => pointer?.startsWith('/uploads/') === true && code === 'not_found');
}

/** Uploads files in the given order where that costs no time: a drop lists files in the order of their upload. */
async function uploadAll(
  uploads: Uploads,
  files: readonly NamedFile[],
  options: SendOptions,
  key: string,
  mayReuse: boolean,
): Promise<SentFile[]> {
  const done: SentFile[] = [];
  let group: Promise<SentFile>[] = [];
  const finishGroup = async () => {
    // Waits for all, so that nothing continues in the background after a failure.
    for (const result of await Promise.allSettled(group)) {
      if (result.status === 'rejected') throw result.reason;
      done.push(result.value);
    }
    group = [];
  };
  for (const file of files) {
    const known = mayReuse ? options.uploadStore?.get(file.path) : undefined;
    const isSmall = known !== undefined || (file.size ?? Number.POSITIVE_INFINITY) <= smallFileBytes;
    if (!isSmall || group.length === concurrentSmallFiles) await finishGroup();
    group.push(known === undefined ? uploadOne(uploads, file, key, options) : Promise.resolve(known));
    if (!isSmall) await finishGroup();
  }
  await finishGroup();
  return done;
}

async function uploadOne(
  uploads: Uploads,
  { path, source }: NamedFile,
  sendKey: string,
  { signal, onProgress, uploadStore }: SendOptions,
): Promise<SentFile> {
  // The same in every process that repeats this send, whatever characters the key contains.
  const idempotencyKey = createHash('sha256')
    .update(JSON.stringify([sendKey, path]))
    .digest('base64url');
  // The file may have changed since an earlier call.
  const uploading = uploads.uploadOrFind(source, { idempotencyKey, onKeyReused: 'replace', signal, onProgress });
  const { id, size, scan, unscanned_reason: unscannedReason } = await uploading;
  const sent = { path, id, size, scan, unscannedReason };
  await uploadStore?.save(sent);
  return sent;
}

/** Throws if two files have the same path, or if one cannot be read, before anything is sent. @internal */
export async function requireDistinctFiles(files: readonly FileToSend[]): Promise<NamedFile[]> {
  if (files.length === 0) throw new WaybillError('no_files', 'Name at least one file.');
  const found = new Map<string, NamedFile>();
  for (const file of await expandFolders(files)) {
    const source = toSource(file);
    const path = source.name.normalize('NFC');
    if (found.has(path)) {
      throw new WaybillError(
        'invalid_argument',
        `Two files are called ${path}. Rename one of them, or send them separately.`,
      );
    }
    found.set(path, { path, source, size: await source.check() });
  }
  return [...found.values()];
}
