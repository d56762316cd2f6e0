import type { EvidenceFile } from '@waybill/evidence';
import { limits } from '@waybill/protocol';
import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError, type Faults } from '../exchange-error.ts';
import { freeName } from '../files/file-name.ts';
import type { SealedFile } from '../files/file-store.ts';
import { isUuid } from '../is-uuid.ts';
import { query } from '../query.ts';
import { requireScanned } from '../require-scanned.ts';
import type { Store } from '../store.ts';
import type { CheckedDrop, DropInput } from './send-drop.ts';

const gone = 'There is no such file in a live drop of the account. Check its id, or upload the file.';

export const findFilesToSendAgain = query((store) => store.files.inSentDrops);

/** Finds the files that are to be sent again, in the order of the request. Records what is wrong with them. */
export async function findSentFiles(
  faults: Faults,
  engines: Pick<Engines, 'store' | 'policy'>,
  { accountId }: Actor,
  { uploads, sentFiles: ids = [], sentByKey: keyId }: DropInput,
  others: readonly { readonly path: string }[],
): Promise<SealedFile[]> {
  if (ids.length === 0) return [];
  if (uploads.length + ids.length > limits.filesPerDraft)
    faults.add(
      {},
      'too_many_files',
      `A drop has at most ${limits.filesPerDraft} files. Send some of them in another one.`,
    );
  const found = await engines.store.files.inSentDrops(accountId, ids.filter(isUuid), { keyId, lock: false });
  const byId = new Map(found.map((file) => [file.id, file]));
  const seen = new Set<string>();
  const paths = new Set(others.map(({ path }) => path));
  const files: SealedFile[] = [];
  for (const [index, id] of ids.entries()) {
    const entry = { of: 'sent_files', index } as const;
    const file = byId.get(id.toLowerCase());
    if (seen.has(id))
      faults.add({ entry, isRepeated: true }, 'invalid_input', 'This file is named twice. Name it once.');
    else if (!file) faults.add({ entry }, 'not_found', gone);
    else if (paths.has(file.path)) {
      const detail = `Another file has the path ${JSON.stringify(file.path)} too. Leave one of them out.`;
      faults.add({ entry, isRepeated: true }, 'invalid_input', detail);
    } else
      await requireScanned(engines, accountId, [file]).catch((error: unknown) => {
        faults.check({ entry }, () => {
          throw error;
        });
      });
    seen.add(id);
    if (!file) continue;
    paths.add(file.path);
    files.push(file);
  }
  return files;
}

/**
 * Fetches the keys that are needed to send files again, which may be slow. The new drop gets files of its own, with the same
 * objects and with keys that are wrapped for its own end: what ends, holds or extends one of the drops does not concern the
 * other.
 */
export async function prepareSendingAgain(
  { dayKeys, random }: Pick<Engines, 'dayKeys' | 'random'>,
  { accountId }: Actor,
  { sentByKey: keyId }: DropInput,
  { sentFiles, lifetimeSeconds, policy }: Pick<CheckedDrop, 'sentFiles' | 'lifetimeSeconds' | 'policy'>,
) {
  const ids = sentFiles.map(({ id }) => id);
  const wrapAgain = await dayKeys.prepareCopies(
    sentFiles.map(({ keyDay: day }) => ({ day })),
    lifetimeSeconds,
  );
  return {
    /** Finds them as they are now; they stay so until the transaction ends. */
    async lock(tx: Store): Promise<SealedFile[]> {
      if (ids.length === 0) return [];
      const locked = await tx.files.inSentDrops(accountId, ids, { keyId, lock: true });
      if (locked.length !== ids.length) throw new ExchangeError('not_found', gone);
      const byId = new Map(locked.map((file) => [file.id, file]));
      return ids.map((id) => byId.get(id) as SealedFile);
    },
    async copy(tx: Store, dropId: string, files: readonly SealedFile[], names: Set<string>): Promise<EvidenceFile[]> {
      if (files.length === 0) return [];
      const copies = files.map(({ id: sourceId, path, wrappedKey: wrapped, keyDay: day }) => {
        const id = random.uuid();
        const key = wrapAgain({ wrapped, day }, sourceId, id);
        // Its drop was extended, or its key was wrapped again, since the keys were fetched.
        if (!key) throw new ExchangeError('unavailable', 'A file was changed at the same moment. Try again.');
        const name = freeName(path.slice(path.lastIndexOf('/') + 1), names);
        names.add(name);
        return { id, sourceId, name, path: path === name ? null : path, ...key };
      });
      const copied = await tx.files.copyToDrop(accountId, copies, dropId, policy.maxStoredBytes);
      if (copied.length !== files.length) throw new ExchangeError('not_found', gone);
      return copied;
    },
  };
}
