import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Page } from './page.ts';
import { checkedProperties, createdReceivers, newSentProperties, receiverProperties, sentProperties } from './sent.ts';
import { Nullable, Time } from './values.ts';

export const NewWantedFile = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: limits.nameLength, description: 'What the file is, in a few words.' }),
    note: Type.Optional(
      Type.String({ maxLength: limits.nameLength, description: 'More about it, for the contacts; none if not given.' }),
    ),
  },
  { additionalProperties: false, description: 'A file, or a kind of file, that is wanted.' },
);

export const WantedFile = Type.Object(
  {
    name: Type.String({ description: 'What the file is, in a few words.' }),
    note: Type.String({ description: 'More about it; may be empty.' }),
  },
  { description: 'A file, or a kind of file, that is wanted.' },
);

const wantedFiles = Type.Array(WantedFile, {
  maxItems: limits.wantedFilesPerRequest,
  description: 'The files that are wanted. Contacts may send others too.',
});

export const FoundFile = Type.Object(
  {
    ...WantedFile.properties,
    found: Type.Boolean({ description: 'Whether the contact has sent a file that they say is this one.' }),
  },
  { description: 'A file that the request wants, and whether the contact has sent it.' },
);

/** POST /requests. */
export const NewFileRequest = Type.Object(
  {
    ...newSentProperties,
    wanted_files: Type.Optional(
      Type.Array(NewWantedFile, {
        maxItems: limits.wantedFilesPerRequest,
        description: 'The files that are wanted; none in particular if not given. Contacts say which file is which.',
      }),
    ),
    reusable: Type.Optional(
      Type.Boolean({
        description:
          'True: each contact may send files any number of times until the end. False, or not given: each may once.',
      }),
    ),
  },
  { additionalProperties: false, description: 'The receivers and end of a new request for files.' },
);
export type NewFileRequest = Static<typeof NewFileRequest>;

export const FileRequest = Type.Object(
  {
    ...sentProperties,
    wanted_files: wantedFiles,
    reusable: Type.Boolean({ description: 'Whether each contact may send files any number of times.' }),
  },
  { description: 'A request for files, as in lists.' },
);

export const FileRequestPage = Page(FileRequest, 'Requests for files, the newest first.');

export const FileRequestReceiver = Type.Object(
  {
    ...receiverProperties,
    state: Type.Enum(['waiting', 'notified', 'undeliverable', 'opened', 'fulfilled', 'revoked'], {
      description: 'Progress of the request. fulfilled: files were received.',
    }),
    fulfilled_at: Nullable(Time, 'When files were first received.'),
    last_received_at: Nullable(Time, 'When files were last received.'),
    sendings: Type.Integer({ description: 'Number of times that files were received. Each is an entry in the inbox.' }),
    files_received: Type.Integer({ description: 'Number of files that were received.' }),
  },
  { description: 'A contact who was asked for files, and the progress of the request.' },
);

/** GET /requests/:id. */
export const FileRequestDetails = Type.Object(
  {
    ...FileRequest.properties,
    activity_purged: Type.Boolean({
      description:
        'True: the times at which links were opened were removed because of their age (WAYBILL_ACTIVITY_DAYS).',
    }),
    receivers: Type.Array(FileRequestReceiver, {
      maxItems: limits.receiversPerDispatch,
      description: 'The contacts who were asked, and the progress of each request.',
    }),
  },
  { description: 'A request for files with the contacts who were asked.' },
);

export const CreatedFileRequest = Type.Object(
  { ...FileRequest.properties, ...createdReceivers },
  { description: 'A new request for files. No other response contains the links.' },
);

export const CheckedFileRequest = Type.Object(checkedProperties, { description: 'The result of a check.' });
