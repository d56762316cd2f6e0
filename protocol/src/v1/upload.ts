import { type Static, Type } from 'typebox';
import { timeOf } from './time.ts';

/** What an account uploaded and has not sent. */
export const UploadView = Type.Object({
  id: Type.String({ format: 'uuid', description: 'What a drop names.' }),
  name: Type.String({ description: 'Its name, without folders.' }),
  path: Type.String({ description: 'Where it was in the folder that is sent; its name if it is sent alone.' }),
  media_type: Type.String({ description: 'Its type as you stated it, such as application/pdf.' }),
  state: Type.Enum(['uploading', 'checking', 'ready', 'refused'], {
    description:
      'uploading: bytes are missing; checking: all have arrived; ready: it can be sent; refused: it cannot, see refusal.',
  }),
  size: Type.Integer({ minimum: 0, description: 'In bytes.' }),
  received: Type.Integer({ minimum: 0, description: 'How many bytes of it are stored.' }),
  sha256: Type.Union([Type.String({ pattern: '^[0-9a-f]{64}$' }), Type.Null()], {
    description: 'SHA-256 in hexadecimal; null before it is ready.',
  }),
  scan: Type.Union([Type.Enum(['clean', 'unscanned']), Type.Null()], {
    description: 'What the virus scanner says; null before it is ready.',
  }),
  refusal: Type.Union(
    [Type.Enum(['infected', 'too_large_to_scan', 'encrypted', 'damaged', 'unchecked', 'digest_mismatch']), Type.Null()],
    { description: 'Why it was refused.' },
  ),
  created_at: timeOf('When the upload began.'),
  expires_at: timeOf('When it is removed, unless it is sent before.'),
});
export type UploadView = Static<typeof UploadView>;

const bytes = { type: 'string', pattern: '^[0-9]+$' } as const;

const ReprDigest = Type.Optional(
  Type.String({
    maxLength: 1000,
    description:
      'The digest of the whole file, `sha-256` or `sha-512` or both (RFC 9530). The file is refused if it has another.',
  }),
);
const TusResumable = Type.Optional(Type.String({ description: '`1.0.0`: the request follows the tus protocol.' }));

/** Those of a whole file, and those of the tus protocol. */
export const NewUploadHeaders = Type.Object({
  'Content-Disposition': Type.Optional(
    Type.String({
      description:
        'The name of a file that is sent whole, or its path in a folder: `attachment; filename="report.pdf"`. Write what is not ASCII as `filename*` (RFC 8187).',
    }),
  ),
  'Repr-Digest': ReprDigest,
  'Tus-Resumable': TusResumable,
  'Upload-Length': Type.Optional(Type.Unsafe<string>({ ...bytes, description: 'How large the file is (tus).' })),
  'Upload-Metadata': Type.Optional(
    Type.String({ description: '`filename`, `path` and `filetype`, each with its value in Base64 (tus).' }),
  ),
});

export const UploadPartHeaders = Type.Object({
  'Repr-Digest': ReprDigest,
  'Tus-Resumable': Type.String({ description: '`1.0.0`.' }),
  'Upload-Offset': Type.Unsafe<string>({ ...bytes, description: 'Where in the file the bytes of the request begin.' }),
});

export const UploadHeadHeaders = Type.Object({ 'Tus-Resumable': UploadPartHeaders.properties['Tus-Resumable'] });
