import { type TSchema, Type } from 'typebox';
import { limits } from '../limits.ts';
import { pageParameters } from './page.ts';
import { TestMessageKind } from './test-message.ts';
import { describeExternalId, describeId, describeTime, Nullable } from './values.ts';

const reference = Type.String({ maxLength: 12, description: 'The reference that pages and mails show.' });
const sent = { reference, external_id: Nullable(Type.String(), 'Your own identifier for it; null if it has none.') };
const drop = { drop_id: describeId('The drop.'), ...sent };
const request = { request_id: describeId('The request for files.'), ...sent };
const receiver = {
  receiver_id: Type.Integer({ minimum: 0, description: 'The `id` of the receiver within the drop or request.' }),
  receiver_email: Type.String({ maxLength: 254, description: 'The receiver’s address.' }),
};
/** Nobody is known who uses it, so that there is no receiver. */
const sharedLink = {
  shared_link_id: Type.Integer({ minimum: 1_000_000, description: 'The `id` of the shared link of the drop.' }),
};
const receivers = {
  receivers: Type.Integer({ minimum: 0, description: 'Number of receivers; 0 with a link for anybody alone.' }),
};
const files = { files: Type.Integer({ minimum: 1, description: 'Number of files.' }) };
const inbox = { inbox_id: describeId('The entry in the inbox.') };
const entry = {
  ...inbox,
  sender: Type.String({ maxLength: 254, description: 'The address of the account or contact that sent the files.' }),
  ...files,
  request_id: Nullable(
    Type.String({ format: 'uuid' }),
    'The request for files to which it belongs; null if another account sent it, or nobody asked for it.',
  ),
  reference: Type.String({ maxLength: 12, description: 'The reference of the drop, or of the request.' }),
  external_id: Nullable(
    Type.String(),
    'The sender’s own identifier for the drop, or yours for the request; null if it has none.',
  ),
};
const deadline = { expires_at: describeTime('When it ends now.') };
const contacts = {
  contacts: Type.Integer({ minimum: 0, description: 'Number of contacts that the account now has.' }),
  email: Type.Optional(Type.String({ maxLength: 254, description: 'The contact’s address, if it was only one.' })),
};

/** The data of each type of event: enough to look up the rest, and to know which of your own records it concerns. */
const eventData = {
  'drop.created': { ...drop, ...receivers, ...files },
  'drop.notified': { ...drop, ...receiver },
  'drop.undeliverable': { ...drop, ...receiver },
  'drop.opened': { ...drop, ...receiver },
  'drop.file_delivered': {
    ...drop,
    ...receiver,
    file_id: describeId('The file.'),
    file_name: Type.String({ maxLength: 255, description: 'The file’s name.' }),
  },
  'drop.receiver_completed': { ...drop, ...receiver },
  'drop.completed': drop,
  'drop.receiver_added': { ...drop, ...receiver },
  'drop.receiver_revoked': { ...drop, ...receiver },
  'drop.link_created': {
    ...drop,
    ...sharedLink,
    kind: Type.Enum(['named', 'anybody'], { description: 'For all receivers, or for anybody who has it.' }),
  },
  'drop.link_opened': { ...drop, ...sharedLink },
  'drop.link_downloaded': {
    ...drop,
    ...sharedLink,
    downloads: Type.Integer({ minimum: 1, description: 'Number of downloads through it so far.' }),
  },
  'drop.link_revoked': { ...drop, ...sharedLink },
  'drop.extended': { ...drop, ...deadline },
  'drop.expired': drop,
  'drop.revoked': drop,
  'drop.restored': drop,
  'request.created': { ...request, ...receivers },
  'request.notified': { ...request, ...receiver },
  'request.undeliverable': { ...request, ...receiver },
  'request.opened': { ...request, ...receiver },
  'request.received': { ...request, ...receiver, ...inbox, ...files },
  'request.fulfilled': request,
  'request.receiver_added': { ...request, ...receiver },
  'request.receiver_revoked': { ...request, ...receiver },
  'request.extended': { ...request, ...deadline },
  'request.expired': request,
  'request.revoked': request,
  'request.restored': request,
  'inbox.received': entry,
  'inbox.parked': {
    ...entry,
    attempts: Type.Integer({ minimum: 1, description: 'Number of times it was claimed.' }),
  },
  'test.message_kept': {
    message_id: describeId('The kept mail or SMS of a test account.'),
    kind: TestMessageKind,
    to: Type.String({
      maxLength: 254,
      description: 'The address or telephone number to which it would have been sent.',
    }),
  },
  'contact.changed': contacts,
  'contact.deleted': contacts,
} as const satisfies Record<string, Record<string, TSchema>>;

export type EventType = keyof typeof eventData;
export const eventTypes = Object.keys(eventData) as EventType[];
/** With a type, because validators then compare the entries of a list in linear time. */
export const EventType = Type.Enum([...eventTypes], { type: 'string', description: 'A type of event.' });

/** Not `Event`, which browsers and Node define. */
export const AccountEvent = Type.Union(
  eventTypes.map((type) =>
    Type.Object(
      {
        id: describeId('Identifier: the same whenever the event is repeated.'),
        type: Type.Literal(type, { description: 'The type of the event.' }),
        timestamp: describeTime('When it happened.'),
        data: Type.Object(eventData[type], {
          additionalProperties: false,
          description: 'The objects that it concerns.',
        }),
      },
      { additionalProperties: false, description: `The event \`${type}\`.` },
    ),
  ),
  { description: 'An event of the account: the same in lists, in the stream and as sent to webhooks.' },
);

export const WebhookTestEvent = Type.Object(
  {
    id: describeId('Identifier: the same whenever the event is repeated.'),
    type: Type.Literal('webhook.test', { description: 'The type of the event.' }),
    timestamp: describeTime('When it was requested.'),
    data: Type.Object(
      { webhook_id: describeId('The webhook.') },
      { additionalProperties: false, description: 'The webhook that is tested.' },
    ),
  },
  { additionalProperties: false, description: 'An event with which a webhook is tested. No list contains it.' },
);

const cursor = Type.String({
  minLength: 1,
  maxLength: limits.cursorLength,
  pattern: '^[A-Za-z0-9_-]+$',
  description:
    'The `next_cursor` of the previous response, or `end` for events from now on. Without it, the response begins with the oldest event that is kept.',
});

/** Which events are returned: those that match everything that is given. */
const filter = {
  type: Type.Optional(
    Type.Array(EventType, {
      minItems: 1,
      maxItems: eventTypes.length,
      uniqueItems: true,
      description: 'Events of this type; repeat the parameter for several types.',
    }),
  ),
  drop_id: Type.Optional(Type.String({ format: 'uuid', description: 'Events about this drop.' })),
  request_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Events about this request, and about what arrived through it.' }),
  ),
  external_id: Type.Optional(
    describeExternalId('Events about drops, requests and entries of the inbox with this external id.'),
  ),
};

export const ListEventsQuery = Type.Object(
  {
    ...filter,
    cursor: Type.Optional(cursor),
    limit: pageParameters.limit,
    wait: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: limits.eventWaitSeconds,
        description: 'Seconds to wait for an event if there is none; 0 if not given.',
      }),
    ),
  },
  { additionalProperties: false },
);

export const StreamEventsQuery = Type.Object(
  {
    ...filter,
    cursor: Type.Optional({
      ...cursor,
      description:
        'A cursor, such as the `id` of the last event, or `end` for events from now on. Without it, the stream begins with the oldest event that is kept.',
    }),
  },
  { additionalProperties: false },
);

export const StreamEventsHeaders = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({
      maxLength: limits.cursorLength,
      description:
        'The `id` of the last event, which `EventSource` sends when it connects again. It replaces `cursor`.',
    }),
  ),
});

export const EventPage = Type.Object(
  {
    data: Type.Array(AccountEvent, { maxItems: limits.pageSize, description: 'The events of this page.' }),
    next_cursor: Type.String({
      description:
        'The `cursor` of the next request, also when there were no events. A stream of events never ends, so it is never null.',
    }),
    has_more: Type.Boolean({
      description:
        'Whether older events are still to be read: request the next page at once, even if this one is empty, as it can be with a filter.',
    }),
  },
  { description: 'Events, the oldest first.' },
);
