// Every way in which something is deleted × every way in which it may be held.
import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { openRequestLink, readyFile } from '../../../test/file-requests.ts';
import { sentLink } from '../../../test/links.ts';
import { placeEvidence } from '../../../test/place-evidence.ts';
import { findAccount } from '../accounts/read-accounts.ts';
import type { Actor } from '../actor.ts';
import { removeFile } from '../drafts/change-draft.ts';
import { revokeDrop } from '../drops/revoke-drop.ts';
import { askSender } from '../links/ask-sender.ts';
import { openLink } from '../links/open-link.ts';
import { retryMessage } from '../outbox/retry-message.ts';
import type { Policy } from '../policy.ts';
import { sendFiles } from '../requests/send-files.ts';
import { sweep } from '../sweep.ts';
import { placeHold, releaseHold } from './change-holds.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;

interface Held {
  readonly actor: Actor;
  readonly dropId: string;
}
type Covered = 'drop' | 'account';

/** The holds that are placed, and how many of them are released. */
const situations: Record<string, { placed: readonly Covered[]; released: number }> = {
  'nothing is held': { placed: [], released: 0 },
  'its drop is held': { placed: ['drop'], released: 0 },
  'its account is held': { placed: ['account'], released: 0 },
  'one of two holds of its drop is released': { placed: ['drop', 'drop'], released: 1 },
  'one of two holds of its account is released': { placed: ['account', 'account'], released: 1 },
  'its account is held, and a hold of its drop is released': { placed: ['drop', 'account'], released: 1 },
  'its drop is held, and a hold of its account is released': { placed: ['account', 'drop'], released: 1 },
  'two holds are released': { placed: ['drop', 'account'], released: 2 },
};

/** Returns the holds that are still in force. */
async function hold({ actor, dropId }: Held, { placed, released }: { placed: readonly Covered[]; released: number }) {
  const ids: string[] = [];
  for (const covered of placed) {
    const why = { name: 'Case 17', reason: 'order of the court', by: 'Anna' };
    const account = { id: actor.accountId, email: actor.email };
    ids.push(await placeHold(engines, account, { ...why, dropId: covered === 'drop' ? dropId : null }));
  }
  for (const id of ids.slice(0, released)) await releaseHold(engines, id, 'Bertil');
  // Of no concern to anything here.
  await query(
    "insert into holds (account_id, id, drop_id, name, reason, placed_by) values ($1, $2, $3, 'Case 18', '', '')",
    [actor.accountId, engines.random.uuid(), engines.random.uuid()],
  );
  return ids.slice(released);
}

const sweepKeeping = (keepSeconds: Partial<Policy['keepSeconds']>) =>
  sweep({ ...engines, policy: { ...engines.policy, keepSeconds: { ...engines.policy.keepSeconds, ...keepSeconds } } });
const end = ({ actor }: Held) => exchange.expireAll(actor);
const settle = ({ actor }: Held) =>
  query("update messages set state = 'sent', settled_at = now() where account_id = $1", [actor.accountId]);

describe('a file', () => {
  /** One file, which a drop's hold covers only if it belongs to a drop. */
  const deletions: Record<string, { covered: readonly Covered[]; file: () => Promise<Held>; delete: Deletion }> = {
    'its drop passes its deadline': { covered: ['drop', 'account'], file: sendDrop, delete: end },
    'its drop is revoked': {
      covered: ['drop', 'account'],
      file: sendDrop,
      delete: async ({ actor, dropId }) =>
        revokeDrop(engines, await findAccount(engines, actor.email), dropId, engines.administrator),
    },
    'what a contact sent passes its deadline': { covered: ['drop', 'account'], file: received, delete: end },
    'it is removed from its draft': {
      covered: ['account'],
      file: staged,
      delete: ({ actor }) => removeFile(engines, actor, '', 'a.txt'),
    },
    'it is replaced in its draft': {
      covered: ['account'],
      file: staged,
      delete: async ({ actor }) => {
        await exchange.upload(actor, 'a.txt', 'another');
        await query("delete from files where state = 'ready' and account_id = $1", [actor.accountId]);
      },
    },
    'its draft is deleted': { covered: ['account'], file: staged, delete: () => sweepKeeping({ drafts: 0 }) },
    'a contact removes it': {
      covered: ['account'],
      file: inContactDraft,
      delete: async ({ actor }) => {
        const [file] = await query<{ id: string; draft: string }>('select id, draft from files where account_id = $1', [
          actor.accountId,
        ]);
        await engines.store.uploads.remove(actor.accountId, file?.draft ?? '', file?.id ?? '');
      },
    },
    'the request ends before a contact has sent it': { covered: ['account'], file: inContactDraft, delete: end },
  };
  type Deletion = (held: Held) => Promise<unknown>;

  async function sendDrop() {
    const actor = await exchange.account('r@example.org');
    return { actor, dropId: await exchange.drop(actor, ['r@example.org'], ['a.txt']) };
  }
  async function staged() {
    const actor = await exchange.account();
    await exchange.upload(actor, 'a.txt');
    return { actor, dropId: '' };
  }
  async function inContactDraft() {
    const { actor, link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    return { actor, dropId: link.dropId };
  }
  async function received() {
    const { actor, link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a.txt');
    await sendFiles(engines, link, '');
    const [drop] = await query<{ id: string }>('select id from drops where request_id = $1', [link.dropId]);
    return { actor, dropId: drop?.id as string };
  }

  const readFiles = ({ actor }: Held) =>
    query<{ id: string; state: string; wrapped_key: Buffer | null }>(
      'select id, state, wrapped_key from files where account_id = $1',
      [actor.accountId],
    );
  const listObjects = (files: readonly { id: string }[]) =>
    [...engines.objects.objects.keys()].filter((key) => files.some(({ id }) => key.startsWith(id))).length;
  /** As if nothing had to be kept for its age. */
  const sweepAll = async (held: Held) => {
    await settle(held);
    await sweepKeeping({ history: 0, activity: 0, audit: 0, messages: 0 });
    await sweepKeeping({ history: 0, activity: 0, audit: 0, messages: 0 });
  };

  for (const [how, deletion] of Object.entries(deletions)) {
    for (const [when, situation] of Object.entries(situations)) {
      if (situation.placed.some((covered) => !deletion.covered.includes(covered))) continue;
      const stays = situation.placed.length > situation.released;
      test(`${stays ? 'keeps' : 'loses'} its key and its bytes when ${how} and ${when}`, async () => {
        const held = await deletion.file();
        const inForce = await hold(held, situation);
        const before = await readFiles(held);
        expect(listObjects(before)).toBe(1);
        await deletion.delete(held);
        await sweepAll(held);
        if (stays) {
          expect(await readFiles(held)).toEqual(before.map((file) => ({ ...file, state: 'held' })));
          expect(listObjects(before)).toBe(1);
          for (const id of inForce) await releaseHold(engines, id, 'Bertil');
          await sweepAll(held);
        }
        expect(await readFiles(held)).toEqual([]);
        expect(listObjects(before)).toBe(0);
      });
    }
  }
});

describe('the records of an ended drop', () => {
  /** The records that each retention removes. The drop itself is the last: everything else goes with it. */
  const records: Record<string, { keep: Partial<Policy['keepSeconds']>; rows: string }> = {
    browsers: { keep: {}, rows: 'select from link_sessions where account_id = $1 and drop_id = $2' },
    activity: {
      keep: { activity: 0 },
      rows: `select from deliveries where account_id = $1 and drop_id = $2
        union all select from links where account_id = $1 and drop_id = $2 and opened_at is not null
        union all select from links where account_id = $1 and drop_id = $2 and completed_at is not null`,
    },
    'audit entries': {
      keep: { audit: 0 },
      rows: `select from audit_entries where account_id = $1 and $2 <> ''
        and (action in ('file.uploaded', 'drop.created', 'message.retried', 'link.asked')
          or action = 'hold.placed' and details ->> 'name' = 'Case 1')`,
    },
    evidence: {
      keep: { evidence: 0 },
      rows: `select from evidence_entries where account_id = $1 and drop_id = $2 and data is not null and salt is not null`,
    },
    messages: { keep: { messages: 0 }, rows: 'select from messages where account_id = $1 and drop_id = $2' },
    drop: {
      keep: { history: 0 },
      rows: `select from drops where account_id = $1 and id = $2
        union all select from links where account_id = $1 and drop_id = $2
        union all select from files where account_id = $1 and drop_id = $2`,
    },
  };

  /** A drop that was sent, opened, downloaded, asked about, held and released, and has ended. */
  async function endedDrop(): Promise<Held> {
    const { sender: actor, dropId, link } = await sentLink(exchange, ['a.txt']);
    await openLink(engines, link);
    for (const file of await engines.store.links.files(link)) {
      await engines.store.links.deliver(link, [{ file, sent: { start: 0, end: file.sizeBytes } }]);
    }
    const account = await findAccount(engines, actor.email);
    const [message] = await query<{ id: string }>(
      "update messages set state = 'abandoned' where account_id = $1 and kind = 'invitation' returning id",
      [actor.accountId],
    );
    await retryMessage(engines, account, message?.id as string);
    const held = { actor, dropId };
    await end(held);
    await askSender(engines, { ...link, ended: true });
    await settle(held);
    await releaseHold(
      engines,
      await placeHold(engines, account, { dropId, name: 'Case 1', reason: 'earlier', by: 'Anna' }),
      'Anna',
    );
    await sweep(engines);
    await placeEvidence(exchange.database);
    await query('update link_sessions set purge_at = now() where account_id = $1', [actor.accountId]);
    return held;
  }

  for (const [when, situation] of Object.entries(situations)) {
    const stays = situation.placed.length > situation.released;
    test(`${stays ? 'stay' : 'are removed'} when ${when}`, async () => {
      const held = await endedDrop();
      const inForce = await hold(held, situation);
      const removal = async () => {
        const left: Record<string, boolean> = {};
        for (const [kind, { keep, rows }] of Object.entries(records)) {
          const before = await query(rows, [held.actor.accountId, held.dropId]);
          expect(before, kind).not.toHaveLength(0);
          await sweepKeeping(keep);
          const after = await query(rows, [held.actor.accountId, held.dropId]);
          left[kind] = after.length === before.length;
          if (!left[kind]) expect(after, kind).toHaveLength(0);
        }
        return left;
      };
      const every = (kept: boolean) => Object.fromEntries(Object.keys(records).map((kind) => [kind, kept]));
      if (stays) expect(await removal()).toEqual(every(true));
      for (const id of inForce) await releaseHold(engines, id, 'Bertil');
      expect(await removal()).toEqual(every(false));
    });
  }
});

test('a released hold is removed with the audit entries, unless another hold is in force', async () => {
  const actor = await exchange.account();
  const held = { actor, dropId: '' };
  const names = () =>
    query('select released_at is null as in_force from holds where account_id = $1', [actor.accountId]);
  const inForce = await hold(held, { placed: ['account', 'account'], released: 1 });
  await sweepKeeping({ audit: 0 });
  expect(await names()).toHaveLength(3);
  for (const id of inForce) await releaseHold(engines, id, 'Bertil');
  await sweepKeeping({});
  expect(await names()).toHaveLength(3);
  await sweepKeeping({ audit: 0 });
  expect(await names(), 'that of the other drop').toEqual([{ in_force: true }]);
});
