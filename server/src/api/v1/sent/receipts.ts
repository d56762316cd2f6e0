import { AvailableReceiptPage, Receipt, ReceiptQuery, ReceiptsQuery } from '@waybill/protocol/v1';
import { type Static, Type } from 'typebox';
import type { ProvenReceiver } from '../../../domain/evidence/evidence-store.ts';
import { findReceipts, type ReceiptFormat, receiptFormats } from '../../../domain/evidence/make-receipt.ts';
import { replyWithReceipt } from '../../../http/transfer/reply-with-receipt.ts';
import { parsePageQuery } from '../cursor.ts';
import { type KeyRoute, route } from '../route.ts';
import { receiverParams, type SentKind } from './sent.ts';

/** By its reference, also what is not listed any more. */
export const listReceipts = route({
  method: 'GET',
  path: '/receipts',
  id: 'listReceipts',
  summary: 'Find the receipts of a drop or a request by its reference, also after it was removed from the history',
  scope: 'history',
  query: ReceiptsQuery,
  response: {
    status: 200,
    description: 'The receivers of whom a receipt can be made.',
    schema: AvailableReceiptPage,
  },
  errors: [],
  async handle({ engines, caller, query }) {
    const page = parsePageQuery<Pick<ProvenReceiver, 'dropId' | 'position'>>(
      engines,
      caller,
      'receipts',
      query,
      ({ dropId, position }) => ({ dropId, position }),
    );
    const { reference: name, receiver_email: email } = query;
    const wanted = { accountId: caller.accountId, name, email, after: page.after };
    const found = await findReceipts(engines, wanted, page.count);
    return {
      body: page.response(found, ({ dropId: id, position, ...about }) => ({
        ...about,
        id,
        receiver_id: position,
      })),
    };
  },
});

/** The receipts of drops, or of requests for files: one as a PDF, and the same as JSON alone. */
export function receiptRoutes(
  kind: SentKind,
  about: Readonly<Record<ReceiptFormat, Pick<KeyRoute, 'id' | 'summary'>>>,
): KeyRoute[] {
  const params = receiverParams(kind);
  const describe = (format: ReceiptFormat): KeyRoute => ({
    method: 'GET',
    path: `${kind.path}/:id/receivers/:receiver_id/receipt.${format}`,
    ...about[format],
    scope: 'history',
    params,
    // The receipt as JSON has no language.
    ...(format === 'pdf' ? { query: ReceiptQuery } : {}),
    response: { status: 200, ...responses[format] },
    errors: ['not_found', 'receipt_not_ready', 'receipt_unavailable'],
    stream: {
      curl: [`-o receipt.${format}`],
      serve({ engines, caller: { accountId }, request, reply }) {
        const { id: dropId, receiver_id: receiver } = request.params as Static<typeof params>;
        const { language } = request.query as Partial<Static<typeof ReceiptQuery>>;
        const type = kind.path === '/drops' ? 'drop' : 'request';
        const languages = language === undefined ? [] : [language];
        const story = { accountId, dropId, position: Number(receiver) };
        return replyWithReceipt(engines, reply, { ...story, type, format, languages });
      },
    },
  });
  return receiptFormats.map(describe);
}

const responses = {
  pdf: {
    description: 'The receipt, with `receipt.json` as an attachment.',
    schema: Type.Unsafe<string>({ type: 'string', contentMediaType: 'application/pdf' }),
    mediaType: 'application/pdf',
  },
  json: {
    description: 'The receipt: canonical JSON, which `waybill verify` checks byte by byte. See docs/evidence.md.',
    schema: Receipt,
  },
} as const;
