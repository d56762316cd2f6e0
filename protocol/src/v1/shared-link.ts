import { type Static, Type } from 'typebox';
import { describeTime, Nullable, Time } from './values.ts';

const kind = Type.Enum(['named', 'anybody'], {
  description:
    'named: one link for all receivers, who each enter a code that is sent to their address, and are recorded as with a link of their own. anybody: for whoever has it; nobody is known who uses it.',
});

/** Of POST /drops, and POST /drops/:id/shared-links. */
export const NewSharedLink = Type.Object(
  {
    kind,
    max_downloads: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description:
          'For anybody: after how many downloads it ends. Everything that is downloaded in a browser or by one run of a program counts once, when one file was sent in full. Any number if not given.',
      }),
    ),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 4_000_000_000,
        description: 'Seconds until it ends; with the drop if not given.',
      }),
    ),
    expires_at: Type.Optional(describeTime('When it ends, not later than the drop.')),
  },
  { additionalProperties: false, description: 'A link to share.' },
);
export type NewSharedLink = Static<typeof NewSharedLink>;

export const SharedLink = Type.Object(
  {
    id: Type.Integer({ description: 'Identifier of the link within the drop.' }),
    kind,
    state: Type.Enum(['live', 'expired', 'revoked', 'used_up', 'forbidden'], {
      description:
        'Whether it can be used, or why not. forbidden: a rule of the account became stricter; used_up: it was downloaded as often as it may be.',
    }),
    created_at: describeTime('When it was made.'),
    created_by: Type.String({ description: 'The account or person who made it.' }),
    expires_at: describeTime('When it ends, or ended.'),
    revoked_at: Nullable(Time, 'When it was revoked; null if it was not.'),
    visits: Type.Integer({ description: 'In how many browsers or programs it was opened.' }),
    opened_at: Nullable(Time, 'When it was first opened.'),
    max_downloads: Nullable(Type.Integer(), 'After how many downloads it ends; null: any number.'),
    downloads: Type.Integer({ description: 'Number of downloads so far. Those of receivers are counted for them.' }),
    last_download_at: Nullable(Time, 'When the last of them was counted.'),
  },
  { description: 'A link of a drop for all receivers, or for anybody who has it.' },
);

export const CreatedSharedLink = Type.Object(
  {
    ...SharedLink.properties,
    link: Type.String({ format: 'uri', description: 'The link. No other response contains it.' }),
  },
  { description: 'A new shared link.' },
);

export const SharedLinkList = Type.Object(
  {
    shared_links: Type.Array(SharedLink, { maxItems: 100, description: 'In the order in which they were made.' }),
  },
  { description: 'The shared links of a drop.' },
);
