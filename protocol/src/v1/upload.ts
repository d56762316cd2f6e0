import { type Static, Type } from 'typebox';
import { Page, pageParameters } from './page.ts';
import { describeTime, describeUnscannedReason, Nullable } from './values.ts';

export const Upload = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Identifier, by which a new drop names the upload.' }),
    name: Type.String({ description: 'Name of the file, without folders.' }),
    path: Type.String({ description: 'Path of the file in the folder that is sent; its name if it is sent alone.' }),
    media_type: Type.String({ description: 'Media type as you declared it, such as application/pdf.' }),
    state: Type.Enum(['uploading', 'checking', 'ready', 'refused'], {
      description:
        'uploading: bytes are missing; checking: all bytes have arrived; ready: it can be sent; refused: it cannot be sent, see refusal.',
    }),
    size: Type.Integer({ minimum: 0, description: 'Size in bytes.' }),
    received: Type.Integer({ minimum: 0, description: 'Number of bytes that are stored.' }),
    sha256: Nullable(
      Type.String({ pattern: '^[0-9a-f]{64}$' }),
      'SHA-256 of the file, in hexadecimal digits; null before it is ready.',
    ),
    scan: Nullable(Type.Enum(['clean', 'unscanned']), 'Result of the virus scan; null before it is ready.'),
    unscanned_reason: describeUnscannedReason(),
    refusal: Nullable(
      Type.Enum(['infected', 'too_large_to_scan', 'encrypted', 'damaged', 'unchecked', 'digest_mismatch']),
      'Why it was refused; null if it was not.',
    ),
    created_at: describeTime('When the upload began.'),
    expires_at: describeTime('When it is removed unless it is sent before.'),
  },
  { description: 'A file that was uploaded and is not sent yet.' },
);
export type Upload = Static<typeof Upload>;

export const UploadPage = Page(Upload, 'Uploads that are not sent yet.');

export const ListUploadsQuery = Type.Object(
  {
    ...pageParameters,
    state: Type.Optional(
      Type.Enum(['uploading', 'checking', 'ready', 'refused'], { description: 'Uploads in this state.' }),
    ),
  },
  { additionalProperties: false },
);

const bytes = { type: 'string', pattern: '^[0-9]+$' } as const;

const ReprDigest = Type.Optional(
  Type.String({
    maxLength: 1000,
    description:
      'The digest of the whole file, `sha-256` or `sha-512` or both (RFC 9530). The file is refused if its digest differs.',
  }),
);
const TusResumable = Type.Optional(Type.String({ description: '`1.0.0`: the request follows the tus protocol.' }));

/** Headers of a whole file, and of the tus protocol. */
export const NewUploadHeaders = Type.Object({
  'Content-Disposition': Type.Optional(
    Type.String({
      description:
        'The name of a file that is sent whole, or its path in a folder: `attachment; filename="report.pdf"`. Use `filename*` for names that are not ASCII (RFC 8187).',
    }),
  ),
  'Repr-Digest': ReprDigest,
  'Tus-Resumable': TusResumable,
  'Upload-Length': Type.Optional(Type.Unsafe<string>({ ...bytes, description: 'Size of the file in bytes (tus).' })),
  'Upload-Metadata': Type.Optional(
    Type.String({ description: '`filename`, `path` and `filetype`, each with its value in Base64 (tus).' }),
  ),
});

export const UploadPartHeaders = Type.Object({
  'Repr-Digest': ReprDigest,
  'Tus-Resumable': Type.String({ description: '`1.0.0`.' }),
  'Upload-Offset': Type.Unsafe<string>({
    ...bytes,
    description: 'Position in the file at which the bytes of the request begin.',
  }),
});

export const UploadHeadHeaders = Type.Object({ 'Tus-Resumable': UploadPartHeaders.properties['Tus-Resumable'] });
