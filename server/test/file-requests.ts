import type { Actor } from '../src/domain/actor.ts';
import { setReceivers } from '../src/domain/drafts/change-draft.ts';
import { dispatchDraft } from '../src/domain/drops/dispatch-draft.ts';
import type { SealedFile } from '../src/domain/files/file-store.ts';
import { readSealed } from '../src/domain/files/read-sealed.ts';
import { findLink } from '../src/domain/links/find-link.ts';
import type { Link } from '../src/domain/links/link-store.ts';
import { announceFile } from '../src/domain/requests/announce-file.ts';
import { checkUpload } from '../src/domain/uploads/check-upload.ts';
import { contactDraftName, contactDraftOwner } from '../src/domain/uploads/contact-draft.ts';
import { receiveBytes } from '../src/domain/uploads/receive-bytes.ts';
import type { DraftFile, Upload, UploadWriter } from '../src/domain/uploads/upload-store.ts';
import type { TestExchange } from './exchange.ts';
import { deriveToken } from './links.ts';

type TestEngines = TestExchange['engines'];

export interface OpenedRequest {
  readonly actor: Actor;
  /** One per contact, in the order given. */
  readonly links: readonly Link[];
  readonly link: Link;
}

/** An account's request to these contacts. */
export async function openRequestLink(
  exchange: TestExchange,
  contacts: readonly string[] = ['c@example.org'],
  account?: Actor,
): Promise<OpenedRequest> {
  const { engines, database } = exchange;
  const actor = account ?? (await exchange.account(...contacts));
  const receivers = contacts.map((email) => ({ email }));
  await setReceivers(engines, actor, '', receivers);
  const before = await database.query<{ id: string }>('select id from drops where account_id = $1', [actor.accountId]);
  await dispatchDraft(
    engines,
    actor,
    { draft: '', parameters: { ddmessage: `request ${before.length}` } },
    'uploadfiles',
  );
  const [drop] = await database.query<{ id: string }>(
    'select id from drops where account_id = $1 and message = $2 and type = $3',
    [actor.accountId, `request ${before.length}`, 'uploadfiles'],
  );
  const links = await Promise.all(
    contacts.map(async (_, position) =>
      findLink(engines, await deriveToken(exchange, actor, drop?.id as string, position), 'uploadfiles'),
    ),
  );
  return { actor, links, link: links[0] as Link };
}

export async function* splitIntoPieces(bytes: Buffer, pieceBytes = 1_000_003): AsyncGenerator<Buffer, void, void> {
  for (let start = 0; start < bytes.length; start += pieceBytes) yield bytes.subarray(start, start + pieceBytes);
}

/** Announces a file, by its path in a folder or its name. Returns its id. */
export async function announceUpload(
  engines: TestEngines,
  link: Link,
  path: string,
  sizeBytes: number,
): Promise<string> {
  const id = engines.random.uuid();
  const name = path.slice(path.lastIndexOf('/') + 1);
  await announceFile(engines, link, { id, name, path, mediaType: 'text/plain', sizeBytes });
  return id;
}

/** A new writer of an upload, from its current position. */
export async function takeOverUpload(
  engines: TestEngines,
  link: Link,
  id: string,
): Promise<{ writer: UploadWriter; upload: Upload & { sizeBytes: number } }> {
  const writer = { accountId: link.accountId, id, writer: engines.random.uuid() };
  const upload = await engines.store.uploads.takeOver(writer, contactDraftName(link), 3600);
  if (!upload) throw new Error('no such upload');
  return { writer, upload: { ...upload, sizeBytes: upload.sizeBytes as number } };
}

/** All bytes of a file, announced and received, but not checked. Returns its id. */
export async function receivedFile(
  engines: TestEngines,
  link: Link,
  name: string,
  content: string | Buffer,
): Promise<string> {
  const bytes = Buffer.from(content as string);
  const id = await announceUpload(engines, link, name, bytes.length);
  const { writer, upload } = await takeOverUpload(engines, link, id);
  await receiveBytes(engines, contactDraftOwner(link), writer, upload, splitIntoPieces(bytes));
  return id;
}

/** A file that is ready to be sent. Returns its id. */
export async function readyFile(
  engines: TestEngines,
  link: Link,
  name: string,
  content: string | Buffer = `content of ${name}`,
): Promise<string> {
  const id = await receivedFile(engines, link, name, content);
  await checkUpload(engines, link.accountId, id, new AbortController().signal);
  return id;
}

export function listDraftFiles(engines: Pick<TestEngines, 'store'>, link: Link): Promise<DraftFile[]> {
  return engines.store.uploads.listDraftFiles(link.accountId, contactDraftName(link));
}

export async function readContent(
  engines: Pick<TestEngines, 'objects' | 'dayKeys' | 'downloads'>,
  file: Pick<SealedFile, 'id' | 'sizeBytes' | 'wrappedKey' | 'keyDay' | 'runs'>,
): Promise<Buffer> {
  const read: Buffer[] = [];
  const range = { start: 0, end: file.sizeBytes };
  const { signal } = new AbortController();
  for await (const bytes of readSealed(engines, file, range, signal)) read.push(Buffer.from(bytes));
  return Buffer.concat(read);
}
