import { type Static, Type } from 'typebox';

/**
 * Element of the array returned by get_files.cgi (docs/api.md#5-get-uploaded-files). `bytes` and `sha256` are our
 * extension, sent on request only.
 */
export const UploadedFile = Type.Object({
  name: Type.String(),
  type: Type.String(),
  size: Type.String(),
  bytes: Type.Optional(Type.Integer({ minimum: 0 })),
  sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
});
export type UploadedFile = Static<typeof UploadedFile>;
export const UploadedFiles = Type.Array(UploadedFile);

/** Query of remove_file.cgi. The rules for names are checked where the name is used, not here. */
export const RemoveFileQuery = Type.Object(
  { filename: Type.String({ maxLength: 1024 }) },
  { additionalProperties: false },
);

const inbox = Type.String({ description: 'The `url` of an inbox entry.' });

/** Path of the files of an inbox entry (docs/api.md#11-download-a-file). */
export const InboxParams = Type.Object({ inbox });
export const InboxFileParams = Type.Object({
  inbox,
  name: Type.String({ description: 'The `name` of one of its files.' }),
});

/** A file in the history or inbox (docs/api.md#10-get-history). `settings` is the text of a JSON array. */
export const FileReference = Type.Object({ name: Type.String(), settings: Type.String() });
export type FileReference = Static<typeof FileReference>;
