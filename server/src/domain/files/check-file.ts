import { createHash, type Hash } from 'node:crypto';
import { ExchangeError, MissingObject } from '../exchange-error.ts';
import { discardBuffer } from '../flow/discard-buffer.ts';
import type { DayKeys } from '../keys/day-keys.ts';
import { isLost } from '../keys/wrapping.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { createSeal, type FileObject, listObjects } from './chunk-runs.ts';
import type { CheckedFile, Damage } from './scrub-store.ts';
import { openSegment, sealedBytes, segmentCount } from './sealing.ts';
import { UnreadableObject, unlessUnreadable } from './unreadable-object.ts';

export interface CheckOptions {
  readonly signal: AbortSignal;
  /** How many objects of the file an earlier check has read. The digest is compared only if there are none. */
  readonly objectsDone?: number;
  /** Called after each object with its size. The next object is read when the promise resolves. */
  readonly afterEach?: (bytes: number) => Promise<void> | void;
}

/**
 * Reads all of a file and says what is wrong with it. Each segment's tag proves that it is what was sealed at this place
 * of this file, so an object of another file is found as well as an altered one.
 */
export async function checkFile(
  engines: { readonly objects: Pick<ObjectStore, 'read'>; readonly dayKeys: Pick<DayKeys, 'unwrap'> },
  file: CheckedFile,
  { signal, objectsDone = 0, afterEach }: CheckOptions,
): Promise<Damage | undefined> {
  const dataKey = await engines.dayKeys.unwrap(file.wrappedKey, file.keyDay, file.id).catch(requireLost);
  const hash = objectsDone === 0 ? createHash('sha256') : undefined;
  let number = 0;
  let last = '';
  for (const object of listObjects(file)) {
    if (!dataKey) return { object: object.key, problem: 'key' };
    number += 1;
    last = object.key;
    if (number <= objectsDone) continue;
    const check = { dataKey, file, object, hash, signal };
    // Damage on the way from the store is not damage in it: only what fails twice counts.
    const first = await findProblem(engines.objects, check);
    const problem = first === undefined || first === 'unreadable' ? first : await findProblem(engines.objects, check);
    if (problem) return { object: object.key, problem };
    await afterEach?.(object.bytes);
  }
  if (hash && !hash.digest().equals(file.sha256)) return { object: last, problem: 'digest' };
  return undefined;
}

interface ObjectCheck {
  readonly dataKey: Buffer;
  readonly file: CheckedFile;
  readonly object: FileObject;
  readonly hash: Hash | undefined;
  readonly signal: AbortSignal;
}

/** Adds the object's plaintext to the hash, unless there is a problem. */
async function findProblem(
  objects: Pick<ObjectStore, 'read'>,
  { dataKey, file, object, hash, signal }: ObjectCheck,
): Promise<Exclude<Damage['problem'], 'key' | 'digest'> | undefined> {
  const segments: Buffer[] = [];
  try {
    const part = { offset: 0, length: object.bytes };
    const sealed = await unlessUnreadable(objects, signal, () => objects.read(object.key, part, signal));
    const seal = createSeal(dataKey, file, object.run);
    const lastSegment = segmentCount(file.sizeBytes) - 1;
    for (let segment = object.firstSegment; segment < object.endSegment; segment += 1) {
      const offset = sealedBytes(file, object.firstSegment, segment);
      const end = sealedBytes(file, object.firstSegment, segment + 1);
      segments.push(openSegment(seal, segment, segment === lastSegment, sealed.subarray(offset, end)));
    }
    discardBuffer(sealed);
    for (const plaintext of segments) hash?.update(plaintext);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof MissingObject) return 'missing';
    if (error instanceof UnreadableObject) return 'unreadable';
    if (error instanceof ExchangeError && error.code !== 'damaged') throw error;
    return 'damaged';
  } finally {
    segments.forEach(discardBuffer);
  }
}

function requireLost(error: unknown): undefined {
  if (!isLost(error)) throw error;
}
