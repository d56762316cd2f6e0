import { createHash } from 'node:crypto';
import { isWaybillError, WaybillError } from '../errors.ts';
import type { CreatedDrop, Upload } from '../generated/wire.ts';
import { type DeliveryOptions, toDeliveryFields } from '../resources/delivery-options.ts';
import type { Drops } from '../resources/drops.ts';
import { expandFolders } from './expand-folders.ts';
import { type FileToSend, toSource } from './sources.ts';
import type { UploadProgress, Uploads } from './uploads.ts';

/** The files to send, their receivers, and for how long they can be downloaded. */
export interface SendOptions extends DeliveryOptions {
  /** Files and folders. The files of a folder keep their paths. */
  files: readonly FileToSend[];
  /** Stores finished uploads, for a call with the same `idempotencyKey` after this process was killed. */
  uploadStore?: UploadStore | undefined;
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
}

/** Small files are uploaded concurrently, large ones alone. */
const concurrentSmallFiles = 4;
const smallFileBytes = 1024 * 1024;

interface NamedFile {
  path: string;
  file: FileToSend;
  size: number | undefined;
}

/** Uploads files and creates a drop. */
export async function send(
  { uploads, drops, newKey }: { uploads: Uploads; drops: Drops; newKey: () => string },
  options: SendOptions,
): Promise<SendResult> {
  const { signal } = options;
  const addressed = toDeliveryFields(options);
  const wanted = await requireDistinctFiles(options.files);
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

function isUploadMissing({ faults }: WaybillError): boolean {
  return faults.some(({ pointer, code }) => pointer.startsWith('/uploads/') && code === 'not_found');
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
  { path, file }: NamedFile,
  sendKey: string,
  { signal, onProgress, uploadStore }: SendOptions,
): Promise<SentFile> {
  // The same in every process that repeats this send, whatever characters the key contains.
  const idempotencyKey = createHash('sha256')
    .update(JSON.stringify([sendKey, path]))
    .digest('base64url');
  const progress = { signal, onProgress };
  const uploaded = await uploads.uploadOrFind(file, { idempotencyKey, ...progress }).catch((error: unknown) => {
    // The file has changed since an earlier call.
    if (!isWaybillError(error, 'idempotency_key_reused')) throw error;
    return uploads.uploadOrFind(file, progress);
  });
  const { id, size, scan } = uploaded;
  const sent = { path, id, size, scan };
  await uploadStore?.save(sent);
  return sent;
}

/** Throws if two files have the same path, or if one cannot be read, before anything is sent. */
async function requireDistinctFiles(files: readonly FileToSend[]): Promise<NamedFile[]> {
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
    found.set(path, { path, file, size: await source.check() });
  }
  return [...found.values()];
}
