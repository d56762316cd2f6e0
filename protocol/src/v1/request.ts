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

/** POST /requests. */
export const NewRequest = Type.Object(
  {
    ...newSentProperties,
    reusable: Type.Optional(
      Type.Boolean({
        description:
          'True: each contact may send files any number of times until the end. False, or not given: each may once.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type NewRequest = Static<typeof NewRequest>;

/** A request for files as lists have it. */
export const FileRequest = Type.Object({
  ...sentProperties,
  reusable: Type.Boolean({ description: 'Whether each contact may send files any number of times.' }),
});

export const FileRequestList = Page(FileRequest);

export const FileRequestReceiver = Type.Object({
  ...receiverProperties,
  state: Type.Enum(['waiting', 'notified', 'undeliverable', 'opened', 'fulfilled', 'revoked'], {
    description: 'How far the request to them is. fulfilled: they have sent files.',
  }),
  fulfilled_at: Nullable(Time, 'When they first sent files.'),
  last_received_at: Nullable(Time, 'When they last sent files.'),
  sendings: Type.Integer({ description: 'How often they sent files. Each is an entry in the inbox.' }),
  files_received: Type.Integer({ description: 'How many files they sent.' }),
});

/** GET /requests/:id. */
export const FileRequestDetails = Type.Object({
  ...FileRequest.properties,
  deliveries_forgotten: Type.Boolean({
    description: 'When contacts opened their links was removed for its age (WAYBILL_DELIVERY_DAYS).',
  }),
  receivers: Type.Array(FileRequestReceiver, {
    maxItems: limits.receiversPerDispatch,
    description: 'Who was asked, and what they did.',
  }),
});

export const CreatedFileRequest = Type.Object({ ...FileRequest.properties, ...createdReceivers });

export const CheckedFileRequest = Type.Object(checkedProperties);
