import type { DownloadLink } from '../../link/download-link.ts';
import type { UploadLink } from '../../link/upload-link.ts';
import type { Context } from '../context.ts';

const [pauseMs, maxPauses] = [250, 40];

/** Stores the receipt, after the server has recorded the transfer, which it does just after its last byte. */
export async function storeLinkReceipt(
  { output, signal }: Context,
  link: DownloadLink | UploadLink,
  path: string,
  isRecorded: () => Promise<boolean>,
): Promise<void> {
  for (let pauses = 0; pauses < maxPauses && !(await isRecorded()); pauses += 1) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    signal.throwIfAborted();
  }
  const format = /\.json$/i.test(path) ? 'json' : 'pdf';
  // A repeated command has a newer receipt, which proves all that the older one does.
  await link.receiptToFile(path, { format, overwrite: true, signal });
  await output.print(`Stored the receipt in ${path}.`, { status: 'receipt', path });
}
