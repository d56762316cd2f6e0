import {
  CheckedFileRequest,
  CreatedFileRequest,
  FileRequest,
  FileRequestDetails,
  FileRequestPage,
  NewFileRequest,
} from '@waybill/protocol/v1';
import { checkRequest, prepareRequest } from '../../../domain/requests/request-files.ts';
import { receiptRoutes } from '../sent/receipts.ts';
import {
  createRoutes,
  listRoute,
  readRoute,
  type SentKind,
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
  schemas: {
    entry: FileRequest,
    page: FileRequestPage,
    details: FileRequestDetails,
    created: CreatedFileRequest,
    checked: CheckedFileRequest,
  },
  toEntry: (engines, request) => ({
    ...toSent(engines, request),
    wanted_files: request.wanted,
    reusable: request.reusable,
  }),
  toReceiver: (receiver) => ({
    ...toSentReceiver(receiver, 'fulfilled'),
    fulfilled_at: receiver.completedAt,
    last_received_at: receiver.lastReceivedAt,
    sendings: receiver.sendings,
    files_received: receiver.filesReceived,
  }),
};

export const requestRoutes = [
  ...createRoutes(
    requests,
    {
      create: { id: 'createRequest', summary: 'Ask contacts for files: all of them, or none if anything is wrong' },
      check: {
        id: 'checkRequest',
        summary: 'Check whether contacts could be asked: their addresses and limits; nobody is asked',
      },
      body: NewFileRequest,
      errors: ['recipient_not_allowed', 'daily_limit', 'too_many_messages'],
    },
    {
      toInput: ({ wanted_files: wanted, reusable = false, ...body }) => ({
        ...toDispatchInput(body),
        wanted: wanted?.map(({ name, note = '' }) => ({ name, note })),
        reusable,
      }),
      check: checkRequest,
      describe: () => ({}),
      prepare: prepareRequest,
    },
  ),
  listRoute(requests, { id: 'listRequests', summary: 'List the requests for files, newest first' }),
  readRoute(
    requests,
    { id: 'getRequest', summary: 'Get a request for files, with what each contact did' },
    async () => ({}),
  ),
  ...changeRoutes(requests, {
    revoke: { id: 'revokeRequest', summary: 'End a request at once' },
    revokeReceiver: { id: 'revokeRequestReceiver', summary: 'End the link of one contact' },
    extend: { id: 'extendRequest', summary: 'Move the deadline of a request to a later time' },
    remind: { id: 'remindRequestReceivers', summary: 'Remind the contacts who have sent nothing yet' },
    add: { id: 'addRequestReceiver', summary: 'Ask another contact for files too' },
    resend: { id: 'resendRequestInvitation', summary: 'Send a contact the mail with their link again' },
  }),
  ...receiptRoutes(requests, {
    pdf: { id: 'getRequestReceiptPdf', summary: 'Get the receipt of a contact as a PDF' },
    json: { id: 'getRequestReceipt', summary: 'Get the receipt of a contact as JSON' },
  }),
];
