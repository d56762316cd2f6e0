import { secondsToMidnight } from '../accounts/count-dispatch.ts';
import type { Actor } from '../actor.ts';
import type { Engines } from '../engines.ts';
import { ExchangeError, Faults, invalidField } from '../exchange-error.ts';
import type { SealedFile } from '../files/file-store.ts';
import { prepareForDay } from '../keys/prepare-for-day.ts';
import { findUploads } from '../uploads/account-upload.ts';
import { lockUploads, moveUploads } from '../uploads/send-uploads.ts';
import type { AccountUpload } from '../uploads/upload-store.ts';
import {
  type CheckedDispatch,
  checkDispatch,
  type DispatchInput,
  type MadeDispatch,
  prepareDispatch,
} from './check-dispatch.ts';
import { findSentFiles, prepareSendingAgain } from './send-again.ts';
import { checkSharedLink } from './shared-links.ts';
import { writeDrop } from './write-drop.ts';

type Needs = Pick<
  Engines,
  'store' | 'dayKeys' | 'random' | 'checkpoint' | 'policy' | 'messageLimit' | 'sms' | 'passphrases'
>;

export interface DropInput extends DispatchInput {
  /** The ids of uploads of the account. */
  readonly uploads: readonly string[];
  /** The ids of files in live drops of the account, which are sent again without being uploaded. */
  readonly sentFiles?: readonly string[] | undefined;
  /** Only files that this key sent can be sent again; undefined: all of the account. */
  readonly sentByKey?: string | undefined;
}

/** A dispatch in which nothing is wrong. */
export interface CheckedDrop extends CheckedDispatch {
  readonly uploads: readonly AccountUpload[];
  readonly sentFiles: readonly SealedFile[];
}

/** Looks at everything before it refuses anything: the error names each fault. Changes nothing. */
export async function checkDrop(engines: Needs, actor: Actor, input: DropInput): Promise<CheckedDrop> {
  const faults = new Faults();
  const checked = await checkDispatch(faults, engines, actor, input);
  if (input.receivers.length === 0 && input.sharedLink?.kind !== 'anybody')
    faults.add({}, 'invalid_input', 'Name one or more receivers, or make a link for anybody.');
  if (input.sharedLink) {
    const { policy, receivers, lifetimeSeconds: secondsLeft } = checked;
    const counts = {
      receiverCount: receivers.length,
      fileCount: input.uploads.length + (input.sentFiles?.length ?? 0),
      secondsLeft,
    };
    const factors = { secondFactor: input.secondFactor, secondFactorRule: policy.secondFactor };
    checkSharedLink(faults, policy, input.sharedLink, { ...factors, ...counts });
  }
  const found = await findUploads(engines, actor, input.uploads);
  const uploads = checkUploads(faults, input.uploads, new Map(found.map((upload) => [upload.id, upload])));
  const sentFiles = await findSentFiles(faults, engines, actor, input, uploads);
  faults.throwIfAny(secondsToMidnight());
  return { ...checked, uploads, sentFiles };
}

/**
 * Sends uploads that the input names; the machine API sends its draft with `dispatchDraft`. Checks the drop and fetches
 * keys, which may be slow. What is returned makes the drop, in one transaction or as
 * part of the caller's: everything happens or nothing does.
 */
export async function prepareDrop(
  engines: Needs,
  actor: Actor,
  input: DropInput,
): Promise<(within: Pick<Engines, 'store'>) => Promise<MadeDispatch>> {
  const { checkpoint } = engines;
  requireContent(input);
  const checked = await checkDrop(engines, actor, input);
  const { toWrite, made } = await prepareDispatch(engines, input, checked);
  const wrapForDay = await prepareForDay(engines, actor.accountId, { files: input.uploads }, checked.lifetimeSeconds);
  const sendAgain = await prepareSendingAgain(engines, actor, input, checked);
  return async ({ store }) => {
    await store.transaction(async (tx) => {
      const locked = await lockUploads(tx, actor, input.uploads);
      // One of them may have been sent or removed since it was checked.
      const faults = new Faults();
      const uploads = checkUploads(faults, input.uploads, locked);
      faults.throwIfAny();
      checkpoint('drop:draft-locked');
      const again = await sendAgain.lock(tx);
      await writeDrop(engines, tx, actor, checked.policy, {
        ...toWrite,
        type: 'downloadfiles',
        fileCount: uploads.length + again.length,
        async moveFiles() {
          const names = new Set<string>();
          const moved = await moveUploads(tx, actor.accountId, made.id, uploads, names);
          await wrapForDay(tx, made.id);
          return [...moved, ...(await sendAgain.copy(tx, made.id, again, names))];
        },
      });
      checkpoint('drop:before-commit');
    });
    return made;
  };
}

/** A check may have neither: a caller can learn that the receivers are wrong before it uploads the files. */
function requireContent({ uploads, sentFiles = [], message }: DropInput): void {
  if (uploads.length + sentFiles.length > 0 || message.trim() !== '') return;
  throw invalidField('uploads', 'A drop needs at least one upload, or a message.');
}

/** In the order of the request. */
function checkUploads(
  faults: Faults,
  ids: readonly string[],
  found: ReadonlyMap<string, AccountUpload>,
): AccountUpload[] {
  const seen = new Set<string>();
  const paths = new Set<string>();
  return ids.flatMap((id, index) => {
    const entry = { of: 'uploads', index } as const;
    const upload = found.get(id);
    if (seen.has(id))
      faults.add({ entry, isRepeated: true }, 'invalid_input', 'This upload is named twice. Name it once.');
    else if (!upload)
      faults.add(
        { entry },
        'not_found',
        'The account has no such upload, or it was sent already. Check its id, or upload the file again.',
      );
    else if (upload.state !== 'ready') {
      faults.check({ entry }, () => {
        throw notReady(upload);
      });
    } else if (paths.has(upload.path)) {
      faults.add(
        { entry, isRepeated: true },
        'invalid_input',
        `Another upload has the path ${JSON.stringify(upload.path)} too. Leave one of them out, or upload it with another path.`,
      );
    }
    seen.add(id);
    if (upload) paths.add(upload.path);
    return upload ? [upload] : [];
  });
}

function notReady({ state, refusal }: AccountUpload): ExchangeError {
  if (state !== 'refused')
    return new ExchangeError(
      'files_not_ready',
      'It is still on its way or being checked. Wait until its state is ready, and try again.',
    );
  return refusal === null || refusal === 'unchecked'
    ? new ExchangeError('files_not_ready', 'It could not be checked. Upload the file again.')
    : new ExchangeError(refusal);
}
