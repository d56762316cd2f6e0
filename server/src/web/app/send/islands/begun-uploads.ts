import type { PreviousUpload, UrlStorage } from 'tus-js-client';
import type { Chosen } from '../../../shared/islands/upload-entry.ts';

/**
 * Tells tus which upload belongs to which file. The composer keeps this with its draft, so that one record in the
 * browser's storage describes all of it.
 */
export function begunUploads(files: readonly Chosen[]): UrlStorage {
  const urls = new Map<string, string>();
  for (const { fingerprint, url } of files)
    if (fingerprint !== undefined && url !== undefined) urls.set(fingerprint, url);
  const find = (fingerprint: string): PreviousUpload[] => {
    const uploadUrl = urls.get(fingerprint);
    if (uploadUrl === undefined) return [];
    return [
      { size: null, metadata: {}, creationTime: '', uploadUrl, urlStorageKey: fingerprint, parallelUploadUrls: null },
    ];
  };
  return {
    findAllUploads: () => Promise.resolve([...urls.keys()].flatMap(find)),
    findUploadsByFingerprint: (fingerprint) => Promise.resolve(find(fingerprint)),
    removeUpload: (fingerprint) => Promise.resolve(void urls.delete(fingerprint)),
    addUpload(fingerprint, { uploadUrl }) {
      if (uploadUrl) urls.set(fingerprint, uploadUrl);
      return Promise.resolve(fingerprint);
    },
  };
}
