import { type Static, Type } from 'typebox';
import { limits } from '../limits.ts';
import { EventType } from './event.ts';
import { Page } from './page.ts';
import { Scope } from './scope.ts';
import { describeTime, Nullable, Time } from './values.ts';

const Url = Type.String({
  minLength: 1,
  maxLength: limits.webhookUrlLength,
  description: 'where events are sent: an https URL without a user name, a password or a fragment',
});
const Types = Type.Array(EventType, {
  minItems: 1,
  maxItems: limits.typesPerWebhook,
  uniqueItems: true,
  description: 'types of events, such as drop.created',
});
const Description = Type.String({ maxLength: limits.webhookDescriptionLength, description: 'Purpose of the webhook.' });
const orNull = { types: Nullable(Types, 'The types of events that are sent; null: all.') };

export const Webhook = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Identifier of the webhook.' }),
    url: Type.String({ description: 'Where events are sent.' }),
    ...orNull,
    scopes: Nullable(
      Type.Array(Scope),
      'The scopes of the key that created it: only events that they allow to read are sent; null: all.',
    ),
    description: Type.String({ description: 'Purpose of the webhook; may be empty.' }),
    public_keys: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: 2,
      description: 'The public keys (whpk_…) of `v1a` signatures: two while the secret is being replaced.',
    }),
    created_at: describeTime('When it was created.'),
    created_by: Nullable(
      Type.String({ format: 'uuid' }),
      'The `id` of the key that created it; null if an owner of the account did.',
    ),
    previous_secret_until: Nullable(Time, 'Until when requests are also signed with the previous secret.'),
    failing_since: Nullable(Time, 'When the first request since the last success failed.'),
    disabled_at: Nullable(Time, 'Since when no event is sent.'),
    disabled_reason: Nullable(
      Type.Enum(['gone', 'failing', 'key_revoked', 'owner']),
      'gone: the response to a request was 410; failing: all requests failed for 5 days; key_revoked: the key that created it was revoked; owner: an owner or a key of the account disabled it.',
    ),
  },
  { description: 'A URL to which events are sent.' },
);
export type Webhook = Static<typeof Webhook>;

export const WebhookPage = Page(Webhook, 'The webhooks of the account.');

export const NewWebhook = Type.Object(
  { url: Url, types: Type.Optional(orNull.types), description: Type.Optional(Description) },
  { additionalProperties: false, description: 'A new webhook.' },
);

export const WebhookChanges = Type.Object(
  { url: Type.Optional(Url), types: Type.Optional(orNull.types), description: Type.Optional(Description) },
  { additionalProperties: false, minProperties: 1, description: 'The properties of a webhook to change.' },
);

export const WebhookWithSecret = Type.Object(
  {
    ...Webhook.properties,
    secret: Type.String({ description: 'The secret (whsec_…) of `v1` signatures.' }),
  },
  { description: 'A webhook with its secret, which no other response contains.' },
);

export const SecretReplacement = Type.Object(
  {
    previous_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 7 * 24 * 60 * 60,
        description: 'Seconds for which requests are also signed with the previous secret; a day if not given.',
      }),
    ),
  },
  { additionalProperties: false, description: 'How the secret is replaced.' },
);

export const Replay = Type.Object(
  {
    event_id: Type.Optional(Type.String({ format: 'uuid', description: 'The event to send again.' })),
    since: Type.Optional(describeTime('a time such as 2030-01-31T12:00:00Z, since which all events are sent again')),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    description: 'The events to send again: one of the two properties.',
  },
);

export const ReplayedEvents = Type.Object(
  {
    event_count: Type.Integer({
      minimum: 0,
      maximum: limits.countedReplays,
      description: `Number of events that are sent again, counted up to ${limits.countedReplays}.`,
    }),
  },
  { description: 'The number of events that are sent again.' },
);

export const SentTestEvent = Type.Object(
  { event_id: Type.String({ format: 'uuid', description: 'The test event.' }) },
  { description: 'The test event that was sent.' },
);

export const WebhookAttempt = Type.Object(
  {
    id: Type.String({ format: 'uuid', description: 'Identifier of the attempt.' }),
    event_id: Type.String({ format: 'uuid', description: 'The event, sent as `webhook-id`.' }),
    type: Type.String({ description: 'The type of the event.' }),
    attempt: Type.Integer({ minimum: 1, description: 'Number of the attempt to send this event.' }),
    at: describeTime('When the request was sent.'),
    status: Nullable(Type.Integer(), 'Status of the response; null: there was none.'),
    failure: Nullable(Type.String(), 'Why there was no response.'),
    duration_ms: Type.Integer({ minimum: 0, description: 'Duration in milliseconds.' }),
  },
  { description: 'A request that was sent to a webhook.' },
);

export const WebhookAttemptPage = Page(WebhookAttempt, 'Attempts, the newest first.');
