import { AddedReceiver, Extension, NewReceiver, ReminderResult } from '@waybill/protocol/v1';
import type { Actor } from '../../../domain/actor.ts';
import { prepareReceiver } from '../../../domain/drops/add-receiver.ts';
import { prepareExtension } from '../../../domain/drops/extend-drop.ts';
import { findSentDrop } from '../../../domain/drops/find-sent-drops.ts';
import { revokeSentDrop } from '../../../domain/drops/revoke-drop.ts';
import { remindReceivers, resendInvitation } from '../../../domain/drops/write-to-receivers.ts';
import { toETag } from '../etag.ts';
import { type CallEngines, type KeyRoute, type Result, route } from '../route.ts';
import { receiverParams, type SentKind, sentParams } from './sent.ts';

const ended = ['not_found', 'link_ended', 'link_revoked'] as const;
const mails = ['daily_limit', 'too_many_messages'] as const;

/** The operations that change drops, or requests for files, after they were created. */
export function changeRoutes(
  kind: SentKind,
  about: Readonly<
    Record<'revoke' | 'revokeReceiver' | 'extend' | 'remind' | 'add' | 'resend', Pick<KeyRoute, 'id' | 'summary'>>
  >,
): KeyRoute[] {
  const { type, noun, path, page } = kind;
  const params = sentParams(kind);
  const response = { status: 200, description: `The ${noun}.`, schema: kind.schemas.entry };
  const changed = async (engines: CallEngines, caller: Actor, dropId: string): Promise<Result> => {
    const sent = await findSentDrop(engines, caller, { type, dropId });
    return { body: kind.toEntry(engines, sent), headers: toETag(sent.version) };
  };

  const revoke = route({
    method: 'POST',
    path: `${path}/:id/revoke`,
    ...about.revoke,
    scope: 'send',
    params,
    response,
    errors: ended,
    isVersioned: true,
    async handle({ engines, caller, params: { id: dropId }, ifVersion }) {
      await revokeSentDrop(engines, caller, { type, dropId }, { position: undefined, ifVersion });
      return changed(engines, caller, dropId);
    },
  });

  const revokeReceiver = route({
    method: 'POST',
    path: `${path}/:id/receivers/:receiver_id/revoke`,
    ...about.revokeReceiver,
    scope: 'send',
    params: receiverParams(kind),
    response,
    errors: ended,
    isVersioned: true,
    async handle({ engines, caller, params: { id: dropId, receiver_id: receiver }, ifVersion }) {
      await revokeSentDrop(engines, caller, { type, dropId }, { position: Number(receiver), ifVersion });
      return changed(engines, caller, dropId);
    },
  });

  const extend = route({
    method: 'POST',
    path: `${path}/:id/extend`,
    ...about.extend,
    scope: 'send',
    params,
    body: Extension,
    example: { expires_in: 1_209_600 },
    response,
    errors: ended,
    isVersioned: true,
    async prepare({ engines, caller: { accountId, email }, params: { id }, body }) {
      await findSentDrop(engines, { accountId }, { type, dropId: id });
      return prepareExtension(engines, { id: accountId, email }, id, toDeadline(body));
    },
    async handle({ engines, caller, params: { id }, ifVersion, prepared: extendUntil }) {
      await extendUntil(engines, caller.author, ifVersion);
      return changed(engines, caller, id);
    },
  });

  const remind = route({
    method: 'POST',
    path: `${path}/:id/remind`,
    ...about.remind,
    scope: 'send',
    params,
    response: { status: 200, description: 'How many mails are on their way.', schema: ReminderResult },
    errors: [...ended, ...mails],
    isVersioned: true,
    async handle({ engines, caller, params: { id: dropId }, ifVersion }) {
      const reminded = await remindReceivers(engines, caller, { type, dropId }, ifVersion);
      const { version } = await findSentDrop(engines, caller, { type, dropId });
      return { body: { reminded }, headers: toETag(version) };
    },
  });

  const add = route({
    method: 'POST',
    path: `${path}/:id/receivers`,
    ...about.add,
    scope: 'send',
    params,
    body: NewReceiver,
    example: { email: 'bo@example.org' },
    response: { status: 201, description: 'The receiver.', schema: AddedReceiver },
    errors: [...ended, ...mails, 'recipient_not_allowed'],
    isVersioned: true,
    prepare: ({ engines, caller, params: { id: dropId }, body }) =>
      prepareReceiver(engines, caller, { type, dropId }, body),
    async handle({ engines, caller, params: { id }, ifVersion, prepared: addThem }) {
      const { position, email, token } = await addThem(engines, ifVersion);
      const { version, notify } = await findSentDrop(engines, caller, { type, dropId: id });
      const link = notify ? {} : { link: `${engines.policy.publicUrl}/${page}/${token}` };
      return { body: { id: position, email, ...link }, headers: toETag(version) };
    },
  });

  const resend = route({
    method: 'POST',
    path: `${path}/:id/receivers/:receiver_id/resend`,
    ...about.resend,
    scope: 'send',
    params: receiverParams(kind),
    response: { status: 204, description: 'The mail is on its way.' },
    errors: [...ended, ...mails],
    async handle({ engines, caller, params: { id: dropId, receiver_id: receiver } }) {
      await resendInvitation(engines, caller, { type, dropId }, Number(receiver));
      return {};
    },
  });

  return [revoke, revokeReceiver, extend, remind, add, resend];
}

/** The schema guarantees one of the two. */
function toDeadline({ expires_in: seconds, expires_at: time }: Extension): Date {
  return time === undefined ? new Date(Date.now() + (seconds as number) * 1000) : new Date(time);
}
