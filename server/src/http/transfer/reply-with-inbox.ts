import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../domain/actor.ts';
import type { Engines } from '../../domain/engines.ts';
import type { InboxFile } from '../../domain/files/file-store.ts';
import { findInboxFiles, type InboxChoice } from '../../domain/inbox/find-inbox-file.ts';
import { recordInboxDelivery } from '../../domain/inbox/record-inbox-delivery.ts';
import { replyWithFile } from './reply-with-file.ts';
import { replyWithZip } from './reply-with-zip.ts';
import type { Transfers } from './transfers.ts';

export type InboxReplyNeeds = Pick<Engines, 'store' | 'random' | 'policy' | 'objects' | 'dayKeys' | 'downloads'>;

/** An account's request for files in its inbox, and the downloads that it joins. */
export interface InboxReply {
  readonly engines: InboxReplyNeeds;
  readonly actor: Actor;
  readonly transfers: Transfers;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export function replyWithInboxFile(inboxReply: InboxReply, file: InboxFile): Promise<FastifyReply> {
  const { engines, actor, transfers, request, reply } = inboxReply;
  const { accountId, dropId } = file;
  return transfers.run(reply, { accountId, dropId }, (signal) =>
    replyWithFile(engines, file, request, reply, signal, (sent) =>
      recordInboxDelivery(engines, actor, file, [{ file, sent }]),
    ),
  );
}

/** Replies with all files of an entry, or those that were chosen, as one ZIP, with their folders. */
export async function replyWithInboxZip(
  inboxReply: InboxReply,
  entryId: string,
  chosen?: InboxChoice,
): Promise<FastifyReply> {
  const { engines, actor, transfers, request, reply } = inboxReply;
  const entry = await findInboxFiles(engines, actor, entryId, chosen);
  const { senderAccountId: accountId, dropId } = entry;
  const drop = { ...entry, accountId, createdAt: new Date(entry.createdSeconds * 1000) };
  return transfers.run(reply, { accountId, dropId }, (signal) =>
    replyWithZip(engines, drop, request, reply, signal, (sent) => recordInboxDelivery(engines, actor, drop, sent)),
  );
}
