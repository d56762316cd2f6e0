import { Receipt, ReceiptQuery } from '@waybill/protocol/v1';
import { type Static, Type } from 'typebox';
import { receiptFormats } from '../../../domain/evidence/make-receipt.ts';
import { requireOwnLink } from '../../../domain/links/find-link.ts';
import { replyWithReceipt } from '../../../http/transfer/reply-with-receipt.ts';
import type { LinkRoute } from '../route.ts';
import { endings } from './link-shapes.ts';

/** The receipts of what was sent to a receiver, or by a contact. */
export const linkReceiptRoutes = receiptFormats.map(
  (format): LinkRoute => ({
    method: 'GET',
    path: `/link/receipt.${format}`,
    id: format === 'pdf' ? 'getLinkReceiptPdf' : 'getLinkReceipt',
    summary: `Get the receipt as ${format === 'pdf' ? 'a PDF' : 'JSON'}`,
    access: 'link-program',
    // The receipt as JSON has no language.
    ...(format === 'pdf' ? { query: ReceiptQuery } : {}),
    response: {
      status: 200,
      ...(format === 'pdf'
        ? {
            description: 'The receipt, with `receipt.json` as an attachment.',
            schema: Type.Unsafe<string>({ type: 'string', contentMediaType: 'application/pdf' }),
            mediaType: 'application/pdf',
          }
        : { description: 'The receipt, which `waybill verify` checks.', schema: Receipt }),
    },
    errors: ['not_found', 'receipt_not_ready', 'receipt_unavailable', ...endings],
    stream: {
      curl: [`-o receipt.${format}`],
      serve({ engines, link, request, reply }) {
        requireOwnLink(link);
        const { accountId, dropId, position, type, language: own } = link;
        const { language = own } = request.query as Partial<Static<typeof ReceiptQuery>>;
        const story = { accountId, dropId, position, type: type === 'downloadfiles' ? 'drop' : 'request' } as const;
        return replyWithReceipt(engines, reply, { ...story, format, languages: [language] });
      },
    },
  }),
);
