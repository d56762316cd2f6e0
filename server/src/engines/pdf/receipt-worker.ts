import { parentPort } from 'node:worker_threads';
import type { ReceiptAttachment, ReceiptPages } from '../../domain/ports/receipt-printer.ts';
import { printPages } from './print-pages.ts';

/** A receipt to print in this thread. */
export interface PrintTask {
  readonly id: number;
  readonly pages: ReceiptPages;
  readonly attachments: readonly ReceiptAttachment[];
}

export type PrintResult = { readonly id: number } & ({ readonly pdf: Uint8Array } | { readonly error: unknown });

parentPort?.on('message', (task: PrintTask) => void print(task));

async function print({ id, pages, attachments }: PrintTask): Promise<void> {
  let result: PrintResult;
  try {
    result = { id, pdf: await printPages(pages, attachments) };
  } catch (error) {
    result = { id, error };
  }
  parentPort?.postMessage(result, []);
}
