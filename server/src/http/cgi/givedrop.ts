import { DispatchParameters, Status } from '@waybill/protocol';
import { grantAccess } from '../../domain/drops/create-drop.ts';
import { idempotencyKeyOf } from '../shared/idempotency-key.ts';
import { actorOf, type Endpoint } from './endpoint.ts';
import { draftOf } from './request-headers.ts';

/** docs/api.md#9-allow-contacts-to-send-files. */
export const givedrop: Endpoint = (app, engines) => {
  app.post(
    '/:user/cgi/givedrop.cgi',
    {
      config: { authentication: 'account+csrf' },
      schema: { body: DispatchParameters, response: { 200: Status } },
    },
    async (request) => {
      request.dropId = await grantAccess(engines, actorOf(request), {
        draft: draftOf(request),
        parameters: request.body,
        idempotencyKey: idempotencyKeyOf(request),
      });
      return { status: 'ok' as const };
    },
  );
};
