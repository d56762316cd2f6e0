import { formatProof } from '@waybill/evidence';
import type { Engines } from '../engines.ts';
import { ExchangeError } from '../exchange-error.ts';
import { isUuid } from '../is-uuid.ts';
import type { ReceiptAttachment } from '../ports/receipt-printer.ts';
import { readIdEnd, toReference } from '../reference.ts';
import { buildReceipt, type Receipt } from './build-receipt.ts';
import type { ProvenReceiver, ReceiverQuery, ReceiverStory } from './evidence-store.ts';

/** The receipt that is wanted, and the account or receiver that wants it. */
export interface WantedReceipt extends ReceiverStory {
  /** Of a drop, or of a request for files. */
  readonly type: 'drop' | 'request';
  readonly format: ReceiptFormat;
  /** BCP 47 tags, the most preferred first. */
  readonly languages: readonly string[];
}

export const receiptFormats = ['pdf', 'json'] as const;
export type ReceiptFormat = (typeof receiptFormats)[number];

export interface MadeReceipt {
  readonly name: string;
  readonly mediaType: string;
  readonly content: Buffer;
}

const mediaTypes = { pdf: 'application/pdf', json: 'application/json' } as const;

export type ReceiptNeeds = Pick<Engines, 'store' | 'logObjects' | 'witnesses' | 'receiptPrinter'>;

/** Makes a receipt as a file. Few are made at once, because a long one takes memory and time of this thread. */
export async function makeReceipt(
  engines: ReceiptNeeds,
  wanted: WantedReceipt,
  signal: AbortSignal,
): Promise<MadeReceipt> {
  const { receiptPrinter } = engines;
  const { format, languages, dropId, position } = wanted;
  return receiptPrinter.limiter.run(
    async () => {
      const receipt = await buildReceipt(engines, wanted, signal);
      // A request for files is not found as a drop, nor a drop as a request.
      if (receipt.type !== wanted.type) throw new ExchangeError('not_found');
      return {
        name: `${toReference(dropId)}-receipt-${position + 1}.${format}`,
        mediaType: mediaTypes[format],
        content:
          format === 'json' ? receipt.json : await receiptPrinter.print(languages, receipt, toAttachments(receipt)),
      };
    },
    { signal },
  );
}

function toAttachments({ json, proofs, timeStamps }: Receipt): ReceiptAttachment[] {
  const receipt = {
    name: 'receipt.json',
    type: mediaTypes.json,
    description: 'The events of this receipt and their proofs',
    content: json,
  };
  return [
    receipt,
    ...proofs.map(({ kind, ...proof }, index) => ({
      name: `${String(index + 1).padStart(2, '0')}-${kind}.tlog-proof`,
      type: 'text/plain',
      description: `The proof of event ${index + 1}`,
      content: Buffer.from(formatProof(proof)),
    })),
    ...timeStamps.flatMap(({ text, token }, index) => [
      {
        name: `time-stamp-${index + 1}.txt`,
        type: 'text/plain',
        description: `What time stamp ${index + 1} is for`,
        content: Buffer.from(text),
      },
      {
        name: `time-stamp-${index + 1}.tst`,
        type: 'application/timestamp-reply',
        description: `Time stamp ${index + 1} (RFC 3161)`,
        content: token,
      },
    ]),
  ];
}

/**
 * Finds whose receipts can be made of what an account has sent, by its reference or its id. The evidence outlives the rows of a
 * drop, and people know a drop by its reference.
 */
export async function findReceipts(
  { store }: Pick<Engines, 'store'>,
  { name, ...query }: Omit<ReceiverQuery, 'idEnd' | 'dropId'> & { readonly name: string },
  count: number,
): Promise<ProvenReceiver[]> {
  const dropId = isUuid(name) ? name : undefined;
  const idEnd = readIdEnd(dropId === undefined ? name : toReference(dropId));
  if (idEnd === undefined)
    throw new ExchangeError('invalid_input', 'Send a reference such as WB-7F3K-29QD, or the id of a drop or request.');
  return store.evidence.findReceivers({ ...query, idEnd, dropId }, count);
}
