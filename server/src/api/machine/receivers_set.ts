import { ReceiversSetRequest, Status } from '@waybill/protocol';
import { setReceivers } from '../../domain/drafts/change-draft.ts';
import { toReceiverInput } from './contact-shapes.ts';
import { draftHeader, readDraftName } from './request-headers.ts';
import { route } from './route.ts';

const done: Status = { status: 'ok' };

/** docs/api.md#4-set-receivers. */
export const receiversSet = route({
  method: 'POST',
  path: '/cgi/receivers_set.cgi',
  id: 'setReceivers',
  summary: 'Replace the draft’s receivers',
  authentication: 'account+csrf',
  headers: [draftHeader],
  body: ReceiversSetRequest,
  example: [{ email: 'anna@example.org', name: 'Anna Berg' }],
  response: { status: 200, description: 'They are set.', schema: Status, example: done },
  errors: ['invalid_input', 'unknown_contact', 'recipient_not_allowed', 'too_large'],
  async handle({ engines, actor, body, request }) {
    await setReceivers(engines, actor, readDraftName(request), body.map(toReceiverInput));
    return done;
  },
});
