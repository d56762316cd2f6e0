import { ExchangeError, MissingObject } from '../exchange-error.ts';
import type { ObjectStore } from '../ports/object-store.ts';

/** A key of the form of an object's that no object ever has. */
const absentKey = '00000000-0000-0000-0000-000000000000/00000000';

/**
 * The object store fails for this object, again and again, while it responds about others. To someone who waits for it,
 * it is as unavailable as everything is while the store is away; work on many objects records it and goes on.
 */
export class UnreadableObject extends ExchangeError {
  constructor(options?: ErrorOptions) {
    super('unavailable', undefined, { ...options, engine: 's3' });
    this.name = 'UnreadableObject';
  }
}

/**
 * Calls the store for one object. If the call fails with `unavailable`, which it does only after several attempts, a
 * question about another object tells what is unavailable: if that fails too, it is the store, and the work is to stop
 * and to be repeated later. If that succeeds, the call is made once more, because the store may have come back in
 * between. Throws UnreadableObject if it is only this object.
 */
export async function unlessUnreadable<Result>(
  objects: Pick<ObjectStore, 'read'>,
  signal: AbortSignal,
  call: () => Promise<Result>,
): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    await requireOthers(objects, signal, error);
  }
  try {
    return await call();
  } catch (error) {
    await requireOthers(objects, signal, error);
    throw new UnreadableObject({ cause: (error as ExchangeError).cause ?? error });
  }
}

/** Returns if the store responds about other objects. Otherwise throws the failure. */
async function requireOthers(objects: Pick<ObjectStore, 'read'>, signal: AbortSignal, failure: unknown): Promise<void> {
  if (!(failure instanceof ExchangeError) || failure.code !== 'unavailable') throw failure;
  signal.throwIfAborted();
  try {
    await objects.read(absentKey, { offset: 0, length: 1 }, signal);
  } catch (error) {
    if (!(error instanceof MissingObject)) throw failure;
  }
}
