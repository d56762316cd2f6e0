import type { Policy } from '../../../domain/policy.ts';
import type { AccountUpload } from '../../../domain/uploads/upload-store.ts';

export const tusHeaders = { 'Tus-Resumable': '`1.0.0`.' };
export const offsetHeaders = { ...tusHeaders, 'Upload-Offset': 'How many bytes of the file are stored.' };
/** The response to `OPTIONS` of the tus protocol. */
export const optionsResponse = {
  status: 204,
  description: 'What is possible, in the headers.',
  headers: {
    ...tusHeaders,
    'Tus-Version': '`1.0.0`.',
    'Tus-Extension': 'The extensions.',
    'Tus-Max-Size': 'How many bytes a file may have.',
  },
} as const;
/** The response to `HEAD` of the tus protocol. */
export const offsetResponse = {
  status: 200,
  description: 'Where to continue, in the headers.',
  headers: { ...offsetHeaders, 'Upload-Length': 'How large the file is.', 'Upload-Metadata': 'Its name and type.' },
} as const;
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
