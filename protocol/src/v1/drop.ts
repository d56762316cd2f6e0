import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { Page } from './page.ts';
import {
  checkedProperties,
  createdReceivers,
  Nullable,
  newSentProperties,
  receiverProperties,
  sentProperties,
} from './sent.ts';
import { Time } from './time.ts';

const fileCount = { file_count: Type.Integer({ description: 'How many files it has.' }) };

/** POST /drops. */
export const NewDrop = Type.Object(
  {
    uploads: Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: limits.filesPerDraft,
      description: 'The ids of uploads that are ready. They become the files of the drop.',
    }),
    ...newSentProperties,
  },
  { additionalProperties: false },
);
export type NewDrop = Static<typeof NewDrop>;

/** A drop as lists have it. */
export const Drop = Type.Object({ ...sentProperties, ...fileCount });

export const DropList = Page(Drop);

export const DropReceiver = Type.Object({
  ...receiverProperties,
  state: Type.Enum(['waiting', 'notified', 'undeliverable', 'opened', 'completed', 'revoked'], {
    description: 'How far the delivery to them is. completed: they have every file.',
  }),
  completed_at: Nullable(Time, 'When every file had been sent to them in full.'),
  files_delivered: Type.Integer({ description: 'How many files were sent to them in full.' }),
});

export const DropFile = Type.Object({
  id: Type.String({ format: 'uuid', description: 'Which file it is.' }),
  name: Type.String({ description: 'Its name, without folders.' }),
  path: Type.String({ description: 'Where it is in the folder that was sent, with its name.' }),
  media_type: Type.String({ description: 'Its type as the sender stated it, such as application/pdf.' }),
  size: Type.Integer({ description: 'In bytes.' }),
  sha256: Type.String({ description: 'In hexadecimal digits.' }),
  scan: Type.Enum(['clean', 'unscanned'], { description: 'What the virus scanner said.' }),
  state: Type.Enum(['available', 'deleted'], {
    description: 'deleted: it cannot be downloaded any more.',
  }),
  receivers_delivered: Type.Integer({ description: 'To how many receivers it was sent in full.' }),
});

/** GET /drops/:id. */
export const DropDetails = Type.Object({
  ...Drop.properties,
  deliveries_forgotten: Type.Boolean({
    description:
      'What receivers did was removed for its age (WAYBILL_DELIVERY_DAYS): its times and counts are unknown.',
  }),
  receivers: Type.Array(DropReceiver, {
    maxItems: limits.receiversPerDispatch,
    description: 'Who gets the files, and what they did.',
  }),
  files: Type.Array(DropFile, { maxItems: limits.filesPerDraft, description: 'The files of the drop.' }),
});

export const CreatedDrop = Type.Object({ ...Drop.properties, ...createdReceivers });

export const CheckedDrop = Type.Object({
  ...checkedProperties,
  ...fileCount,
  size: Type.Integer({ description: 'Of all files, in bytes.' }),
});
