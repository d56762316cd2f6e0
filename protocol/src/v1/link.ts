import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { FoundFile } from './file-request.ts';
import { fileProperties } from './inbox.ts';
import { Upload } from './upload.ts';
import { describeTime, Nullable, Time } from './values.ts';

/** The last part of a link, and the credential of a program that opened it, which has a prefix. */
const secretPattern = '^[A-Za-z0-9_-]{43}$';
const credentialPattern = '^wbl_[A-Za-z0-9_-]{43}$';

export const OpenLinkInput = Type.Object(
  {
    secret: Type.String({ pattern: secretPattern, description: 'The last part of the link in the mail.' }),
    kind: Type.Optional(
      Type.Enum(['download', 'upload'], {
        description:
          'The kind that the link has to be of: download if its path begins with `/d/`, upload if with `/u/`.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The link to open.' },
);

export const LinkCode = Type.Object(
  {
    channel: Type.Enum(['mail', 'sms'], { description: 'How codes are sent.' }),
    to: Type.String({ description: 'A part of the address or number to which they are sent.' }),
    state: Type.Enum(['sent', 'expired', 'too_many_tries', 'too_many_codes'], {
      description:
        'sent: a code can be entered; expired, or too_many_tries: request another; too_many_codes: none can be requested now.',
    }),
    expires_at: Nullable(Time, 'When the newest code expires; null if none was sent.'),
    tries_left: Type.Integer({ minimum: 0, description: 'How often a code can still be entered.' }),
  },
  { description: 'The code that is asked for.' },
);
export type LinkCode = Static<typeof LinkCode>;

export const EnterCodeInput = Type.Object(
  {
    code: Type.String({
      minLength: 6,
      maxLength: 20,
      pattern: '^(?: *[0-9]){6} *$',
      description: 'The six digits, with or without spaces.',
    }),
  },
  { additionalProperties: false, description: 'The code that was sent to the receiver.' },
);

export const EnterPassphraseInput = Type.Object(
  {
    passphrase: Type.String({
      minLength: 1,
      maxLength: limits.passphraseLength,
      description: 'The passphrase. Upper and lower case, spaces and hyphens make no difference.',
    }),
  },
  { additionalProperties: false, description: 'The passphrase that the sender told.' },
);

export const LinkReceiverInput = Type.Object(
  { email: Type.String({ minLength: 1, maxLength: limits.emailLength, description: 'The address of a receiver.' }) },
  { additionalProperties: false, description: 'Which of the receivers somebody is.' },
);

export const OpenedLink = Type.Object(
  {
    kind: Type.Enum(['download', 'upload'], {
      description: 'download: files were sent to its receiver; upload: its contact is asked for files.',
    }),
    reference: Type.String({ description: 'Reference that pages and mails show, such as WB-7F3K-29QD.' }),
    expires_at: describeTime('When the link expires.'),
    passphrase_required: Type.Boolean({
      description: 'Whether the passphrase has to be entered first; if a code is required too, it is sent then.',
    }),
    shared: Nullable(
      Type.Enum(['named', 'anybody']),
      'named: it is for all receivers, and the address of one of them has to be sent first, to /link/receiver. anybody: for whoever has it. Null: it is of one receiver.',
    ),
    max_downloads: Nullable(
      Type.Integer(),
      'For how many downloads a link for anybody can be used; what is downloaded in this session counts once. Null: any number.',
    ),
    code: Nullable(LinkCode, 'The code that has to be entered first; null if none is required now.'),
  },
  { description: 'A link that was opened.' },
);
export type OpenedLink = Static<typeof OpenedLink>;

export const LinkSession = Type.Object(
  {
    session: Type.String({
      pattern: credentialPattern,
      description: 'Authenticates requests about this link: `Authorization: Bearer <session>`.',
    }),
    session_expires_at: describeTime('When the session ends; the link can be opened again.'),
    ...OpenedLink.properties,
  },
  { description: 'The session of a program with a link.' },
);
export type LinkSession = Static<typeof LinkSession>;

const Sender = Type.Object(
  {
    name: Type.String({ description: 'Name of the account, or its address.' }),
    email: Type.String({ description: 'Address of the account.' }),
  },
  { description: 'The account whose link it is.' },
);

/** The properties of both kinds of links. */
const about = {
  reference: OpenedLink.properties.reference,
  sender: Sender,
  title: Nullable(Type.String(), 'The title that the sender gave it; null if it has none.'),
  message: Type.String({ description: 'Message of the sender; may be empty.' }),
  created_at: describeTime('When it was sent.'),
  expires_at: OpenedLink.properties.expires_at,
};

export const LinkFile = Type.Object(
  {
    ...fileProperties,
    delivered: Type.Boolean({ description: 'Whether every byte of it was sent to the receiver.' }),
  },
  { description: 'A file of a link.' },
);
export type LinkFile = Static<typeof LinkFile>;

export const LinkDrop = Type.Object(
  {
    ...about,
    completed_at: Nullable(Time, 'When every byte of every file had been sent to the receiver; null before.'),
    files: Type.Array(LinkFile, { maxItems: limits.filesPerDraft, description: 'The files.' }),
  },
  { description: 'The files that were sent to the receiver of a link.' },
);
export type LinkDrop = Static<typeof LinkDrop>;

export const LinkFileParams = Type.Object({
  file: Type.String({ format: 'uuid', description: 'The `id` of a file.' }),
});

export const SentThroughLink = Type.Object(
  {
    sent_at: describeTime('When they were sent.'),
    files: Type.Array(
      Type.Object({
        path: Type.String({ description: 'Path of the file in the folder that was sent, including its name.' }),
        size: Type.Integer({ description: 'Size in bytes.' }),
        sha256: Type.String({ description: 'SHA-256 of the file, in hexadecimal digits.' }),
      }),
      { maxItems: limits.filesPerDraft, description: 'The files.' },
    ),
  },
  { description: 'Files that were sent through a link.' },
);
export type SentThroughLink = Static<typeof SentThroughLink>;

export const LinkRequest = Type.Object(
  {
    ...about,
    wanted_files: Type.Array(FoundFile, {
      maxItems: limits.wantedFilesPerRequest,
      description: 'The files that the request wants, in their order; none if it wants none in particular.',
    }),
    reusable: Type.Boolean({ description: 'Whether files can be sent any number of times.' }),
    used: Type.Boolean({ description: 'Whether files were sent, and no more can be.' }),
    max_files: Type.Integer({ description: 'How many files can be sent at once.' }),
    max_file_size: Type.Integer({ description: 'Size in bytes of the largest file that is accepted now.' }),
    last_sent: Nullable(SentThroughLink, 'The files that were sent last; null if none were.'),
  },
  { description: 'What the contact of a link is asked for.' },
);
export type LinkRequest = Static<typeof LinkRequest>;

export const LinkUploads = Type.Object(
  {
    data: Type.Array(Upload, {
      maxItems: limits.filesPerDraft,
      description: 'The files, in the order they were begun.',
    }),
  },
  { description: 'The files that the contact of a link has uploaded and not sent yet.' },
);

export const SendThroughLinkInput = Type.Object(
  {
    message: Type.Optional(
      Type.String({ maxLength: limits.messageLength, description: 'A message to the account; none if not given.' }),
    ),
    wanted_files: Type.Optional(
      Type.Array(
        Type.Object(
          {
            id: Type.String({ format: 'uuid', description: 'The `id` of an upload.' }),
            wanted_file: Type.Integer({
              minimum: 0,
              maximum: limits.wantedFilesPerRequest - 1,
              description: 'Which of the `wanted_files` of the request it is, counted from 0.',
            }),
          },
          { additionalProperties: false, description: 'A file, and which of the wanted files it is.' },
        ),
        { maxItems: limits.filesPerDraft, description: 'Which file is which of the wanted files; none if not given.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'What goes with the files.' },
);
