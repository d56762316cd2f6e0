import { DispatchParameters, type DropType, type ErrorCode, limits, Status } from '@waybill/protocol';
import { dispatchDraft } from '../../domain/drops/dispatch-draft.ts';
import { readIdempotencyKey } from '../../http/shared/idempotency-key.ts';
import { header } from '../shared/openapi.ts';
import { draftHeader, readDraftName } from './request-headers.ts';
import { type Route, route } from './route.ts';

const idempotencyKeyHeader = header(
  'Idempotency-Key',
  'Decides alone whether a dispatch is a repetition; known for 7 days.',
  { minLength: 1, maxLength: limits.idempotencyKeyLength },
);

interface DispatchRoute extends Pick<Route, 'path' | 'id' | 'summary'> {
  /** Of the response. */
  readonly description: string;
  /** The errors that it adds to those of every dispatch. */
  readonly errors: readonly ErrorCode[];
  readonly type: DropType;
}

const done: Status = { status: 'ok' };

/** An operation that dispatches the draft. */
export function dispatchRoute({ description, errors, type, ...names }: DispatchRoute): Route {
  return route({
    ...names,
    method: 'POST',
    authentication: 'account+csrf',
    headers: [draftHeader, idempotencyKeyHeader],
    body: DispatchParameters,
    example: { desttime: 7, ddmessage: 'The drawings of May.' },
    response: { status: 200, description, schema: Status, example: done },
    errors: [
      'invalid_input',
      'idempotency_key_reused',
      'no_receivers',
      'recipient_not_allowed',
      'too_large',
      'too_many_messages',
      'daily_limit',
      ...errors,
    ],
    async handle({ engines, actor, body: parameters, request }) {
      const dispatch = { draft: readDraftName(request), parameters, idempotencyKey: readIdempotencyKey(request) };
      request.dropId = await dispatchDraft(engines, actor, dispatch, type);
      return done;
    },
  });
}
