import { ReceiversSetRequest, Status } from '@waybill/protocol';
import { setReceivers } from '../../domain/drafts/set-receivers.ts';
import { type Endpoint, requireActor } from './endpoint.ts';
import { readDraftName } from './request-headers.ts';

/** docs/api.md#4-set-receivers. */
export const receiversSet: Endpoint = (app, engines) => {
  app.post(
    '/:user/cgi/receivers_set.cgi',
    {
      config: { authentication: 'account+csrf' },
      schema: { body: ReceiversSetRequest, response: { 200: Status } },
    },
    async (request) => {
      await setReceivers(engines, requireActor(request), readDraftName(request), request.body);
      return { status: 'ok' as const };
    },
  );
};
