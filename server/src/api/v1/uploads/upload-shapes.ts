import type { Policy } from '../../../domain/policy.ts';
import type { AccountUpload } from '../../../domain/uploads/upload-store.ts';

export const tusHeaders = { 'Tus-Resumable': '`1.0.0`.' };
export const offsetHeaders = { ...tusHeaders, 'Upload-Offset': 'How many bytes of the file are stored.' };
/** Of the tus protocol. */
export const protocolErrors = ['precondition_failed', 'not_found', 'upload_superseded'] as const;

/** Converts an upload to the form of the API. */
export function toUpload(upload: AccountUpload, { keepSeconds }: Pick<Policy, 'keepSeconds'>) {
  const { id, name, path, mediaType, state, sizeBytes, receivedBytes, sha256, scan, refusal, createdAt } = upload;
  const { unscannedReason, resumableUntil, unusedSince } = upload;
  return {
    id,
    name,
    path,
    media_type: mediaType,
    state,
    size: sizeBytes,
    received: receivedBytes,
    sha256: sha256?.toString('hex') ?? null,
    scan,
    unscanned_reason: unscannedReason,
    refusal,
    created_at: createdAt,
    expires_at: resumableUntil ?? new Date(unusedSince.getTime() + keepSeconds.drafts * 1000),
  };
}
