import type { FastifyReply } from 'fastify';
import type { SentDrop } from '../../domain/drops/sent-drop-store.ts';
import { findOwnFiles, recordOwnDownload } from '../../domain/drops/sent-files.ts';
import { toReference } from '../../domain/reference.ts';
import { replyWithFile } from './reply-with-file.ts';
import type { InboxReply } from './reply-with-inbox.ts';
import { replyWithZip } from './reply-with-zip.ts';

/** Replies with a file of a drop to the account that sent it. */
export async function replyWithOwnFile(call: InboxReply, dropId: string, fileId: string): Promise<FastifyReply> {
  const { engines, actor, transfers, request, reply } = call;
  const [file] = await findOwnFiles(engines, actor, dropId, fileId);
  return transfers.run(reply, { accountId: actor.accountId, dropId }, (signal) =>
    replyWithFile(engines, file as NonNullable<typeof file>, request, reply, signal, (sent) =>
      recordOwnDownload(engines, actor, dropId, [{ sent }]),
    ),
  );
}

/** Replies with all files of a drop as one ZIP, with their folders. */
export async function replyWithOwnZip(
  call: InboxReply,
  { id: dropId, createdAt }: Pick<SentDrop, 'id' | 'createdAt'>,
): Promise<FastifyReply> {
  const { engines, actor, transfers, request, reply } = call;
  const { accountId, email: sender } = actor;
  const files = await findOwnFiles(engines, actor, dropId);
  const drop = { dropId, sender, reference: toReference(dropId), createdAt, files };
  return transfers.run(reply, { accountId, dropId }, (signal) =>
    replyWithZip(engines, drop, request, reply, signal, (sent) => recordOwnDownload(engines, actor, dropId, sent)),
  );
}
