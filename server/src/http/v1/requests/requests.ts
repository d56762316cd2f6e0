import {
  CheckedFileRequest,
  CreatedFileRequest,
  DryRunQuery,
  FileRequest,
  FileRequestDetails,
  FileRequestPage,
  NewFileRequest,
} from '@waybill/protocol/v1';
import { findSentDrop, listSentReceivers } from '../../../domain/drops/find-sent-drops.ts';
import type { SentReceiver } from '../../../domain/drops/sent-drop-store.ts';
import { checkRequest, prepareRequest } from '../../../domain/requests/request-files.ts';
import { toETag } from '../etag.ts';
import { type CallEngines, type Result, route } from '../route.ts';
import { receiptRoutes } from '../sent/receipts.ts';
import {
  createdResult,
  listRoute,
  type SentKind,
  sentParams,
  toDispatchInput,
  toSent,
  toSentReceiver,
} from '../sent/sent.ts';
import { changeRoutes } from '../sent/sent-changes.ts';

const requests: SentKind = {
  type: 'uploadfiles',
  noun: 'request',
  path: '/requests',
  page: 'u',
  schema: FileRequest,
  toEntry: (engines, request) => ({ ...toSent(engines, request), reusable: request.reusable }),
};

const createRequest = route({
  method: 'POST',
  path: '/requests',
  id: 'createRequest',
  summary: 'Ask contacts for files: all of them, or none if anything is wrong',
  scope: 'send',
  query: DryRunQuery,
  body: NewFileRequest,
  example: {
    receivers: [{ email: 'anna@example.org', language: 'sv' }],
    message: 'Please send the invoices of May.',
    expires_in: 604_800,
    reusable: true,
  },
  response: { status: 201, description: 'The request.', schema: CreatedFileRequest },
  otherResponse: { status: 200, description: 'With `dry_run=true`: nothing is wrong.', schema: CheckedFileRequest },
  errors: ['recipient_not_allowed', 'daily_limit', 'too_many_messages'],
  isVersioned: true,
  async prepare({ engines, caller, query, body }): Promise<(within: Pick<CallEngines, 'store'>) => Promise<Result>> {
    const input = { ...toDispatchInput(body), reusable: body.reusable ?? false };
    if (query.dry_run) {
      const { receivers, lifetimeSeconds } = await checkRequest(engines, caller, input);
      const response = { dry_run: true, receiver_count: receivers.length, expires_in: lifetimeSeconds };
      return async () => ({ status: 200, body: response });
    }
    const make = await prepareRequest(engines, caller, input);
    return async (within) => createdResult(requests, { ...engines, ...within }, caller.accountId, await make(within));
  },
  handle: ({ engines, prepared }) => prepared(engines),
});

const listRequests = listRoute(requests, {
  id: 'listRequests',
  summary: 'List the requests for files, newest first',
  response: { status: 200, description: 'A page of requests.', schema: FileRequestPage },
});

const readRequest = route({
  method: 'GET',
  path: '/requests/:id',
  id: 'readRequest',
  summary: 'Get a request for files, with what each contact did',
  scope: 'history',
  params: sentParams(requests),
  response: { status: 200, description: 'The request.', schema: FileRequestDetails },
  errors: ['not_found'],
  isVersioned: true,
  async handle({ engines, caller: { accountId }, params: { id } }) {
    const request = await findSentDrop(engines, { accountId }, { type: requests.type, dropId: id });
    const receivers = await listSentReceivers(engines, accountId, id);
    const body = {
      ...requests.toEntry(engines, request),
      deliveries_purged: request.isPurged,
      receivers: receivers.map(toFileRequestReceiver),
    };
    return { body, headers: toETag(request.version) };
  },
});

const requestChanges = changeRoutes(requests, {
  revoke: { id: 'revokeRequest', summary: 'End a request at once, or only the link of one contact' },
  extend: { id: 'extendRequest', summary: 'Move the deadline of a request to a later time' },
  remind: { id: 'remindContacts', summary: 'Remind the contacts who have sent nothing yet' },
  add: { id: 'addContactToRequest', summary: 'Ask another contact for files too' },
  resend: { id: 'resendRequest', summary: 'Send a contact the mail with their link again' },
});

const requestReceipts = receiptRoutes(requests, {
  pdf: { id: 'downloadRequestReceipt', summary: 'Get the receipt of a contact as a PDF' },
  json: { id: 'readRequestReceipt', summary: 'Get the receipt of a contact as JSON' },
});

export const requestRoutes = [createRequest, listRequests, readRequest, ...requestChanges, ...requestReceipts];

function toFileRequestReceiver(receiver: SentReceiver) {
  return {
    ...toSentReceiver(receiver, 'fulfilled'),
    fulfilled_at: receiver.completedAt,
    last_received_at: receiver.lastReceivedAt,
    sendings: receiver.sendings,
    files_received: receiver.filesReceived,
  };
}
