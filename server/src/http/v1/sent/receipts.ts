import { Receipt, ReceiptQuery } from '@waybill/protocol/v1';
import { type Static, Type } from 'typebox';
import { type ReceiptFormat, receiptFormats } from '../../../domain/evidence/make-receipt.ts';
import { sendReceipt } from '../../shared/send-receipt.ts';
import type { Route } from '../route.ts';
import { receiverParams, type SentKind } from './sent.ts';

/** The receipts of drops, or of requests for files: one as a PDF, and the same as JSON alone. */
export function receiptRoutes(
  kind: SentKind,
  about: Readonly<Record<ReceiptFormat, Pick<Route, 'id' | 'summary'>>>,
): Route[] {
  const params = receiverParams(kind);
  const describe = (format: ReceiptFormat): Route => ({
    method: 'GET',
    path: `${kind.path}/:id/receivers/:receiver/receipt.${format}`,
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
        const { id: dropId, receiver } = request.params as Static<typeof params>;
        const { language } = request.query as Partial<Static<typeof ReceiptQuery>>;
        const type = kind.path === '/drops' ? 'drop' : 'request';
        const languages = language === undefined ? [] : [language];
        const story = { accountId, dropId, position: Number(receiver) };
        return sendReceipt(engines, reply, { ...story, type, format, languages });
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
