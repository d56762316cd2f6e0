import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Page } from './page.ts';
import {
  checkedProperties,
  createdReceivers,
  NewReceiver,
  newSentProperties,
  receiverProperties,
  sentProperties,
} from './sent.ts';
import { CreatedSharedLink, NewSharedLink } from './shared-link.ts';
import { describeUnscannedReason, Nullable, Time } from './values.ts';

const fileCount = { file_count: Type.Integer({ description: 'Number of files.' }) };

/** POST /drops. */
export const NewDrop = Type.Object(
  {
    uploads: Type.Array(Type.String({ format: 'uuid' }), {
      maxItems: limits.filesPerDraft,
      description:
        'The ids of uploads that are ready. They become the files of the drop. It may have none if it has a message.',
    }),
    sent_files: Type.Optional(
      Type.Array(Type.String({ format: 'uuid' }), {
        maxItems: limits.filesPerDraft,
        description:
          'The ids of files in live drops that the account sent, to send them again without uploading them. A key without the scope `history` can name only files that it sent itself.',
      }),
    ),
    ...newSentProperties,
    receivers: Type.Array(NewReceiver, {
      maxItems: limits.receiversPerDispatch,
      description: 'one or more receivers; they need not be contacts. None only with a link for anybody',
    }),
    shared_link: Type.Optional(NewSharedLink),
  },
  { additionalProperties: false, description: 'The files, receivers and end of a new drop.' },
);
export type NewDrop = Static<typeof NewDrop>;

export const Drop = Type.Object({ ...sentProperties, ...fileCount }, { description: 'A drop, as in lists.' });

export const DropPage = Page(Drop, 'Drops, the newest first.');

export const DropReceiver = Type.Object(
  {
    ...receiverProperties,
    state: Type.Enum(['waiting', 'notified', 'undeliverable', 'opened', 'completed', 'revoked'], {
      description: 'Progress of the delivery. completed: every file was sent in full.',
    }),
    completed_at: Nullable(Time, 'When every file had been sent in full.'),
    files_delivered: Type.Integer({ description: 'Number of files that were sent in full.' }),
  },
  { description: 'A receiver of a drop, and the progress of the delivery.' },
);

export const DropFile = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Identifier of the file.' }),
    name: Type.String({ description: 'Name of the file, without folders.' }),
    path: Type.String({ description: 'Path of the file in the folder that was sent, including its name.' }),
    media_type: Type.String({ description: 'Media type as declared by the sender, such as application/pdf.' }),
    size: Type.Integer({ description: 'Size in bytes.' }),
    sha256: Type.String({ description: 'SHA-256 of the file, in hexadecimal digits.' }),
    scan: Type.Enum(['clean', 'unscanned'], { description: 'Result of the virus scan.' }),
    unscanned_reason: describeUnscannedReason(),
    state: Type.Enum(['available', 'deleted'], {
      description: 'deleted: it cannot be downloaded any more.',
    }),
    receivers_delivered: Type.Integer({ description: 'Number of receivers to whom it was sent in full.' }),
  },
  { description: 'A file of a drop.' },
);

/** GET /drops/:id. */
export const DropDetails = Type.Object(
  {
    ...Drop.properties,
    activity_purged: Type.Boolean({
      description:
        'True: the activity of the receivers was removed because of its age (WAYBILL_ACTIVITY_DAYS); its times and counts are unknown.',
    }),
    receivers: Type.Array(DropReceiver, {
      maxItems: limits.receiversPerDispatch,
      description: 'The receivers and the progress of each delivery.',
    }),
    files: Type.Array(DropFile, { maxItems: limits.filesPerDraft, description: 'The files of the drop.' }),
  },
  { description: 'A drop with its receivers and files.' },
);

export const CreatedDrop = Type.Object(
  { ...Drop.properties, ...createdReceivers, shared_link: Type.Optional(CreatedSharedLink) },
  { description: 'A new drop. No other response contains the links.' },
);

export const CheckedDrop = Type.Object(
  {
    ...checkedProperties,
    ...fileCount,
    size: Type.Integer({ description: 'Size of all files in bytes.' }),
  },
  { description: 'The result of a check.' },
);
