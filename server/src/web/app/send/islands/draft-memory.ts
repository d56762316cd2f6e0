import type { DraftMemory, KeptDraft } from './composer-draft.ts';

const databaseName = 'waybill';
const storeName = 'drafts';

/** Keeps drafts in IndexedDB, the only storage of a browser that accepts file handles. */
export function draftMemory(factory: () => IDBFactory): DraftMemory {
  const database = openDatabase(factory).catch(() => undefined);
  const run = async <Result>(
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<Result>,
  ): Promise<Result | undefined> => {
    const opened = await database;
    if (!opened) return undefined;
    const transaction = opened.transaction(storeName, mode);
    const result = settle(work(transaction.objectStore(storeName)));
    // Before the result is there: a page that is being left does not see it.
    if (mode === 'readwrite') transaction.commit();
    return result;
  };
  return {
    async list(key) {
      const drafts = await run<KeptDraft[]>('readonly', (store) => store.index('key').getAll(key)).catch(() => []);
      return drafts ?? [];
    },
    async write(draft) {
      // Some browsers have handles and cannot store them: the files are chosen again then.
      const plain = { ...draft, files: draft.files.map((file) => ({ ...file, kept: undefined })) };
      await run('readwrite', (store) => store.put(draft))
        .catch(() => run('readwrite', (store) => store.put(plain)))
        .catch(() => undefined);
    },
    async remove(id) {
      await run('readwrite', (store) => store.delete(id)).catch(() => undefined);
    },
  };
}

async function openDatabase(factory: () => IDBFactory): Promise<IDBDatabase> {
  const opening = factory().open(databaseName, 1);
  opening.addEventListener('upgradeneeded', () => {
    opening.result.createObjectStore(storeName, { keyPath: 'id' }).createIndex('key', 'key');
  });
  const database = await settle(opening);
  // Signing out deletes the database.
  database.addEventListener('versionchange', () => database.close());
  return database;
}

function settle<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('the browser stored nothing')));
  });
}
