import type { Policy } from '../../../domain/policy.ts';
import type { AccountUpload } from '../../../domain/uploads/upload-store.ts';

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
