import { AddedReceiver, Drop, Extension, NewReceiver, Reminded, Revocation } from '@waybill/protocol';
import { Type } from 'typebox';
import { prepareReceiver } from '../../domain/drops/add-receiver.ts';
import { prepareExtension } from '../../domain/drops/extend-drop.ts';
import { revokeSentDrop } from '../../domain/drops/revoke-sent-drop.ts';
import { remindReceivers, resendInvitation } from '../../domain/drops/write-to-receivers.ts';
import { ExchangeError } from '../../domain/exchange-error.ts';
import { changedDrop, dropParams, findDrop } from './drops.ts';
import { etagOf } from './etag.ts';
import { route } from './route.ts';

const ended = ['not_found', 'link_ended', 'link_revoked'] as const;
const mails = ['daily_limit', 'too_many_messages'] as const;

const revokeDrop = route({
  method: 'POST',
  path: '/drops/:id/revoke',
  id: 'revokeDrop',
  summary: 'End a drop at once, or only the link of one receiver',
  scope: 'send',
  params: dropParams,
  body: Revocation,
  example: { receiver: 0 },
  answer: { status: 200, description: 'The drop.', schema: Drop },
  errors: ended,
  isVersioned: true,
  async handle({ engines, caller, params: { id }, body: { receiver: position }, ifVersion }) {
    await revokeSentDrop(engines, caller, id, { position, ifVersion });
    return changedDrop(engines.store, caller.accountId, id);
  },
});

const extendDrop = route({
  method: 'POST',
  path: '/drops/:id/extend',
  id: 'extendDrop',
  summary: 'Move the deadline of a drop to a later time',
  scope: 'send',
  params: dropParams,
  body: Extension,
  example: { expires_in: 1_209_600 },
  answer: { status: 200, description: 'The drop.', schema: Drop },
  errors: ended,
  isVersioned: true,
  async prepare({ engines, caller: { accountId, email }, params: { id }, body }) {
    await findDrop(engines.store, accountId, id);
    return prepareExtension(engines, { id: accountId, email }, id, deadlineOf(body));
  },
  async handle({ engines, caller: { accountId, email }, params: { id }, ifVersion, prepared: extend }) {
    await extend(engines.store, email, ifVersion);
    return changedDrop(engines.store, accountId, id);
  },
});

const remindDrop = route({
  method: 'POST',
  path: '/drops/:id/remind',
  id: 'remindReceivers',
  summary: 'Remind the receivers who have not fetched everything',
  scope: 'send',
  params: dropParams,
  answer: { status: 200, description: 'How many mails are on their way.', schema: Reminded },
  errors: [...ended, ...mails],
  isVersioned: true,
  async handle({ engines, caller, params: { id }, ifVersion }) {
    const reminded = await remindReceivers(engines, caller, id, ifVersion);
    const { version } = await findDrop(engines.store, caller.accountId, id);
    return { body: { reminded }, headers: etagOf(version) };
  },
});

const addReceiver = route({
  method: 'POST',
  path: '/drops/:id/receivers',
  id: 'addReceiver',
  summary: 'Send a drop to another receiver too',
  scope: 'send',
  params: dropParams,
  body: NewReceiver,
  example: { email: 'bo@example.org' },
  answer: { status: 201, description: 'The receiver.', schema: AddedReceiver },
  errors: [...ended, ...mails, 'recipient_not_allowed'],
  isVersioned: true,
  prepare: ({ engines, caller, params: { id }, body }) => prepareReceiver(engines, caller, id, body),
  async handle({ engines, caller, params: { id }, ifVersion, prepared: add }) {
    const { position, email, token } = await add(engines.store, ifVersion);
    const { version, notify } = await findDrop(engines.store, caller.accountId, id);
    const link = notify ? {} : { link: `${engines.policy.publicUrl}/d/${token}` };
    return { body: { id: position, email, ...link }, headers: etagOf(version) };
  },
});

const resendLink = route({
  method: 'POST',
  path: '/drops/:id/receivers/:receiver/resend',
  id: 'resendInvitation',
  summary: 'Send a receiver the mail with their link again',
  scope: 'send',
  params: Type.Object({
    ...dropParams.properties,
    receiver: Type.String({ pattern: '^(?:0|[1-9][0-9]{0,3})$', description: 'The `id` of a receiver.' }),
  }),
  answer: { status: 204, description: 'The mail is on its way.' },
  errors: [...ended, ...mails],
  async handle({ engines, caller, params: { id, receiver } }) {
    await resendInvitation(engines, caller, id, Number(receiver));
    return {};
  },
});

export const dropChangeRoutes = [revokeDrop, extendDrop, remindDrop, addReceiver, resendLink];

function deadlineOf({ expires_in: seconds, expires_at: time }: Extension): Date {
  if ((seconds === undefined) === (time === undefined)) {
    throw new ExchangeError('invalid_input', 'Send expires_in or expires_at.');
  }
  return time === undefined ? new Date(Date.now() + (seconds as number) * 1000) : new Date(time);
}
