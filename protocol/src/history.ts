import { type Static, Type } from 'typebox';
import { Receiver } from './contact.ts';
import { FileReference } from './files.ts';

const Flag = Type.Union([Type.Literal('true'), Type.Literal('false')]);

/** The `sender` of docs/api.md#10-get-history. */
export const Sender = Type.Object({
  email: Type.String(),
  number: Type.String(),
  lang: Type.String(),
  first_run: Flag,
  accountType: Type.Union([Type.Literal('api'), Type.Literal('user')]),
  change_passwd: Flag,
  settings: Type.Object({ show_number: Flag, show_email: Flag, show_lang: Flag, show_nick: Flag }),
});
export type Sender = Static<typeof Sender>;

export const DropType = Type.Union([Type.Literal('downloadfiles'), Type.Literal('uploadfiles')]);
export type DropType = Static<typeof DropType>;

/** An entry of `history` in docs/api.md#10-get-history. */
export const HistoryEntry = Type.Object({
  drop_type: DropType,
  create_time: Type.String(),
  ttl: Type.String(),
  receivers: Type.Array(Receiver),
  ddmessage: Type.String(),
  sender: Sender,
  files: Type.Array(FileReference),
});
export type HistoryEntry = Static<typeof HistoryEntry>;

/** An entry of `inbox` in docs/api.md#10-get-history. */
export const InboxEntry = Type.Object({
  ttl: Type.String(),
  createtime: Type.String(),
  sender: Type.String(),
  files: Type.Array(FileReference),
  url: Type.String(),
});
export type InboxEntry = Static<typeof InboxEntry>;

/** Response of get_history.cgi (docs/api.md#10-get-history). */
export const History = Type.Object({
  history: Type.Array(HistoryEntry),
  live_drops: Type.String(),
  inbox: Type.Array(InboxEntry),
});
export type History = Static<typeof History>;
