import { createHash } from 'node:crypto';
import { canonicalAddress, contactOf } from './address.ts';
import type { CallOptions } from './call-options.ts';
import type { Contacts } from './contacts.ts';
import type { Draft, UploadProgress } from './draft.ts';
import { isWaybillError, WaybillError } from './errors.ts';
import { type FileToSend, hasContent, sourceOf } from './sources.ts';
import type { ContactInput, UploadedFile } from './wire.ts';

export interface SendOptions extends CallOptions {
  files: readonly FileToSend[];
  /** Receivers who are not contacts yet are added to the account's contacts. */
  to: readonly (string | ContactInput)[];
  message?: string | undefined;
  /** How long the files can be downloaded. Absent: the server's default. */
  days?: number | undefined;
  /**
   * Makes the send repeatable: however often it is called with the same key within 7 days, by any process, there is one
   * drop. Without it, the call retries safely, but a second call makes a second drop.
   */
  idempotencyKey?: string | undefined;
  onProgress?: ((progress: UploadProgress) => void) | undefined;
}

export type RequestOptions = Omit<SendOptions, 'files' | 'onProgress'>;

export interface Sent {
  idempotencyKey: string;
  /** An earlier call with the same key has sent it; this call sent nothing. */
  repeated: boolean;
}

export interface Workplace {
  contacts: Contacts;
  draft(name: string): Draft;
  uuid(): string;
}

/** Nothing is ever staged in this draft, so a dispatch from it succeeds only if it is a repetition. */
const emptyDraft = 'nothing-here';

/** The whole workflow of a dispatch, in a draft that nobody else uses. */
export async function send(workplace: Workplace, options: SendOptions): Promise<Sent> {
  const { signal, to } = options;
  const names = await distinctNames(options.files);
  const key = options.idempotencyKey ?? workplace.uuid();
  const draft = workplace.draft(draftFor(key));
  const dispatch = { days: options.days, message: options.message, idempotencyKey: key, signal };
  if (options.idempotencyKey !== undefined && (await wasMade(workplace, draft, (from) => from.dispatch(dispatch)))) {
    return { idempotencyKey: key, repeated: true };
  }

  await setReceivers(workplace.contacts, draft, to, signal);
  // An earlier call with this key may have left files, of this selection or another one.
  const staged = new Map<string, UploadedFile>();
  for (const file of await draft.files({ signal, digests: true })) {
    if (names.has(file.name)) staged.set(file.name, file);
    else await draft.removeFile(file.name, { signal });
  }
  for (const file of options.files) await upload(draft, file, staged, options);
  await draft.dispatch(dispatch);
  if (options.idempotencyKey !== undefined) await clear(draft, signal);
  return { idempotencyKey: key, repeated: false };
}

/** Uploads a file unless the same bytes are staged under its name. */
async function upload(
  draft: Draft,
  file: FileToSend,
  staged: ReadonlyMap<string, UploadedFile>,
  { signal, onProgress }: SendOptions,
): Promise<void> {
  const source = sourceOf(file);
  const there = staged.get(source.name.normalize('NFC'));
  if (there?.bytes !== undefined && (await hasContent(source, there, signal))) {
    onProgress?.({ name: source.name, sentBytes: there.bytes, totalBytes: there.bytes });
  } else {
    await draft.upload(file, { signal, onProgress });
  }
}

/** Gives contacts a page on which they can upload files. */
export async function request(workplace: Workplace, options: RequestOptions): Promise<Sent> {
  const { signal, to } = options;
  const key = options.idempotencyKey ?? workplace.uuid();
  const draft = workplace.draft(draftFor(key));
  const grant = { days: options.days, message: options.message, idempotencyKey: key, signal };
  if (options.idempotencyKey !== undefined && (await wasMade(workplace, draft, (from) => from.grant(grant)))) {
    return { idempotencyKey: key, repeated: true };
  }
  await setReceivers(workplace.contacts, draft, to, signal);
  await draft.grant(grant);
  return { idempotencyKey: key, repeated: false };
}

/**
 * Whether a dispatch with this key was made before. First tried from an empty draft, where it fails for lack of receivers
 * unless the key is known; from its own draft it might succeed with half of its files. A known key is tried once more
 * from its own draft, where it cannot change anything: a server may count the draft as a part of the request.
 */
async function wasMade(workplace: Workplace, own: Draft, dispatch: (from: Draft) => Promise<void>): Promise<boolean> {
  try {
    await dispatch(workplace.draft(emptyDraft));
    return true;
  } catch (error) {
    if (isWaybillError(error, 'no_receivers')) return false;
    if (!isWaybillError(error, 'idempotency_key_reused')) throw error;
  }
  await dispatch(own);
  return true;
}

async function setReceivers(
  contacts: Contacts,
  draft: Draft,
  to: readonly (string | ContactInput)[],
  signal: AbortSignal | undefined,
): Promise<void> {
  if (to.length === 0) throw new WaybillError('no_receivers', 'Name at least one receiver.');
  const receivers = to.map(contactOf);
  try {
    await draft.setReceivers(receivers, { signal });
  } catch (error) {
    if (!isWaybillError(error, 'unknown_contact')) throw error;
    await addMissing(contacts, receivers, signal);
    await draft.setReceivers(receivers, { signal });
  }
}

async function addMissing(contacts: Contacts, receivers: readonly ContactInput[], signal: AbortSignal | undefined) {
  const { local, global } = await contacts.list({ signal });
  const known = new Set([...local, ...global].map(({ email }) => email));
  const missing = receivers.filter(({ email }) => !known.has(canonicalAddress(email)));
  await contacts.upsert(missing, { signal });
}

/** Two files of the same name would replace each other silently; and a missing file is reported before anything is sent. */
async function distinctNames(files: readonly FileToSend[]): Promise<Set<string>> {
  if (files.length === 0) throw new WaybillError('no_files', 'Name at least one file.');
  const names = new Set<string>();
  for (const file of files) {
    const source = sourceOf(file);
    const name = source.name.normalize('NFC');
    if (names.has(name)) {
      throw new WaybillError(
        'invalid_argument',
        `Two files are called ${name}. Rename one of them, or send them separately.`,
      );
    }
    names.add(name);
    await source.check();
  }
  return names;
}

/** A repeated send uses the same draft, whatever characters the key has. */
function draftFor(key: string): string {
  return `send-${createHash('sha256').update(key).digest('hex').slice(0, 48)}`;
}

/** If somebody else has made this dispatch in the meantime, what was uploaded for it is no longer needed. */
async function clear(draft: Draft, signal: AbortSignal | undefined): Promise<void> {
  for (const { name } of await draft.files({ signal })) {
    await draft.removeFile(name, { signal }).catch((error: unknown) => {
      if (!isWaybillError(error, 'not_found')) throw error;
    });
  }
}
