import type { Upload, UploadOptions } from 'tus-js-client';
import { tusRetryPolicy } from './tus-retry-policy.ts';
import { type Item, parseUploadId, type Transfer } from './upload-item.ts';

/** The functions of the browser that a transfer needs. */
export interface Transport {
  readonly newUpload: (file: File, options: UploadOptions) => Upload;
  readonly isOnline: () => boolean;
}

/** Calls of a transfer to the queue. */
export interface TransferEvents {
  /** Whether the file is still in the list; a removed one reports nothing more. */
  readonly isListed: () => boolean;
  /** Called with whether the server responded to a request. */
  readonly heard: (reachable: boolean) => void;
  readonly removeFromServer: (url: string) => Promise<unknown>;
  readonly onProgress: () => void;
  readonly onArrived: () => void;
  readonly onBroken: (error: Error) => void;
}

/**
 * Creates the transfer of one file to the server, from the start or from where an earlier one stopped. Stopping it
 * waits for a request that creates an upload: an upload that the server has and nobody here knows would block "Send".
 */
export function newTransfer(
  item: Item,
  file: File,
  tusEndpoint: string,
  transport: Transport,
  events: TransferEvents,
): Transfer {
  let wanted = false;
  let phase: 'resting' | 'opening' | 'moving' = 'resting';
  let opened = Promise.withResolvers<void>();

  const upload = transport.newUpload(file, {
    ...tusRetryPolicy(transport.isOnline, events.heard),
    endpoint: tusEndpoint,
    storeFingerprintForResuming: true,
    removeFingerprintOnSuccess: true,
    parallelUploads: 1,
    metadata: {
      // A path ends with the name of its file, whatever number the server has since added to the name.
      filename: item.path?.split('/').at(-1) ?? item.name,
      filetype: file.type || 'application/octet-stream',
      ...(item.path === undefined ? {} : { path: item.path }),
    },
    fingerprint: () => Promise.resolve(item.fingerprint ?? ''),
    onUploadUrlAvailable: () => {
      item.url = upload.url ?? item.url;
      phase = 'moving';
      opened.resolve();
      if (!wanted) rest();
    },
    onProgress: (sent) => {
      if (!events.isListed() || item.state !== 'uploading') return;
      item.sentBytes = sent;
      events.onProgress();
    },
    onSuccess: () => {
      if (!events.isListed()) return;
      item.state = 'checking';
      item.sentBytes = item.sizeBytes;
      item.transfer = undefined;
      events.onArrived();
    },
    onError: (error) => {
      phase = 'resting';
      opened.resolve();
      if (events.isListed() && item.state === 'uploading') events.onBroken(error);
    },
  });
  const prepared = prepare(item, upload, events);
  const rest = () => {
    phase = 'resting';
    void upload.abort().catch(() => {});
  };

  const open = () => {
    // The transfer may have been stopped meanwhile, or stopped and started again.
    if (!wanted || phase !== 'resting') return;
    phase = 'opening';
    opened = Promise.withResolvers();
    upload.start();
  };

  return {
    get opening() {
      return phase === 'opening';
    },
    start() {
      wanted = true;
      void prepared.then(open);
    },
    async stop() {
      wanted = false;
      if (phase === 'opening') await opened.promise;
      else if (phase === 'moving') rest();
    },
    cut() {
      wanted = false;
      opened.resolve();
      rest();
    },
  };
}

/**
 * Continues only if this browser remembers this very file: a file of the same name and size with different content
 * must never be appended to the first half of an older one.
 */
async function prepare(item: Item, upload: Upload, { removeFromServer }: TransferEvents): Promise<void> {
  if (item.url === undefined) return;
  const earlier = await upload.findPreviousUploads().catch(() => []);
  const previous = earlier.find(({ uploadUrl }) => uploadUrl && parseUploadId(uploadUrl) === parseUploadId(item.url));
  if (previous) {
    // The URL of this visit is used, because that of an earlier one may no longer open.
    upload.resumeFromPreviousUpload({ ...previous, uploadUrl: item.url });
  } else {
    await removeFromServer(item.url);
    item.url = undefined;
    item.sentBytes = 0;
  }
}
