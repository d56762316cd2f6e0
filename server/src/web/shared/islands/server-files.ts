import { DetailedError, Upload, type UploadOptions } from 'tus-js-client';
import type { DraftFile } from '../../../domain/uploads/upload-store.ts';

/** A request that takes longer is repeated. */
export const responseDeadlineMs = 30_000;

export async function serverFiles(endpoint: string): Promise<readonly DraftFile[] | 'ended' | undefined> {
  const response = await fetch(endpoint, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(responseDeadlineMs),
  });
  if (response.status === 410) return 'ended';
  return response.ok ? ((await response.json()) as DraftFile[]) : undefined;
}

/** An upload that the server does not know counts as removed too. */
export async function removeUpload(url: string, options: UploadOptions = {}): Promise<void> {
  try {
    await Upload.terminate(url, { ...options, retryDelays: [500, 2000] });
  } catch (error) {
    const status = error instanceof DetailedError ? error.originalResponse?.getStatus() : undefined;
    if (status !== 404 && status !== 410) throw error;
  }
}
