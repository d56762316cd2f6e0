import { createHash } from 'node:crypto';
import { isWaybillError, WaybillError } from '../errors.ts';
import type { CreatedDrop, Upload } from '../generated/wire.ts';
import { type DeliveryOptions, toDeliveryFields } from '../resources/delivery-options.ts';
import type { Drops } from '../resources/drops.ts';
import { expandFolders } from './expand-folders.ts';
import { type FileToSend, toSource } from './sources.ts';
import type { UploadProgress, Uploads } from './uploads.ts';

/** What to send, to whom, and until when. */
export interface SendOptions extends DeliveryOptions {
  /** Files and folders. The files of a folder keep their paths. */
  files: readonly FileToSend[];
  /** Where finished uploads are remembered, for a call with the same `idempotencyKey` after this process was killed. */
  uploadStore?: UploadStore | undefined;
  /** Called whenever bytes of a file were sent. Small files are sent several at a time. */
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

/** What is kept of a finished upload. */
export interface SentFile {
  /** Its name, or its path in the folder that was sent. */
  path: string;
  /** The id of its upload. */
  id: string;
  /** How many bytes it has. */
  size: number;
  /** What the virus scanner said; null if that is not known, because an earlier call has sent the file. */
  scan: Upload['scan'];
}

/** Remembers finished uploads of one send, for another process that continues it. */
export interface UploadStore {
  /** What was kept of the file with this path, if anything. */
  get(path: string): SentFile | undefined;
  /** Keeps a finished upload. The send continues when it returns. */
  save(file: SentFile): Promise<void>;
}

/** What was sent. */
export interface SendResult {
  /** The key of the call, or the one that it chose. */
  idempotencyKey: string;
  /** An earlier call with the same key has sent it; this call sent nothing. */
  repeated: boolean;
  /** The drop that the files are in. */
  drop: CreatedDrop;
  /** The files, in the order in which they were given. */
  files: SentFile[];
}

/** Small files are uploaded so many at a time. A large one is uploaded alone. */
const concurrentSmallFiles = 4;
const smallFileBytes = 1024 * 1024;

interface NamedFile {
  path: string;
  file: FileToSend;
  size: number | undefined;
}

/** Uploads the files, and sends them. */
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
    // An upload that was sent is not an upload any more.
    const repeated = mayBeRepeated && (await uploads.find(files[0]?.id ?? '', { signal })) === undefined;
    try {
      const drop = await drops.create({ uploads: files.map(({ id }) => id), ...addressed }, { idempotencyKey, signal });
      return { idempotencyKey, repeated, drop, files };
    } catch (error) {
      // An upload of an earlier call was not sent, but removed since.
      if (round > 1 || !isWaybillError(error) || !isUploadMissing(error)) throw error;
    }
  }
}

function isUploadMissing({ faults }: WaybillError): boolean {
  return faults.some(({ pointer, code }) => pointer.startsWith('/uploads/') && code === 'not_found');
}

/** In their order, as far as it does not cost time: the drop lists files in the order in which they were uploaded. */
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
    // Nothing goes on in the background after a failure.
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
  // The same for every process that sends this, whatever characters the key has.
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

/** Two files of one path would look the same; and a missing file is reported before anything is sent. */
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
