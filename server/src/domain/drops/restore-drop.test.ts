import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { sentLink } from '../../../test/links.ts';
import type { Actor } from '../actor.ts';
import { personAuthor } from '../audit/author.ts';
import { askSender } from '../links/ask-sender.ts';
import { findLink } from '../links/find-link.ts';
import type { Link } from '../links/link-store.ts';
import { sendMessage } from '../outbox/send-message.ts';
import { sweep } from '../sweep.ts';
import { correctReceiver } from './add-receiver.ts';
import { restoreDrop, revokeSentDrop, undoSeconds } from './revoke-drop.ts';
import type { SentId } from './sent-drop-store.ts';
import { showLinks } from './show-links.ts';

const exchange = await useTestExchange();
const { engines } = exchange;
const { query } = exchange.database;
const person = personAuthor({ id: '0199c1d2-7f00-7000-8000-000000000001', email: 'maya@example.org' }, '192.0.2.1');

async function send(...receivers: string[]) {
  const sent = await sentLink(exchange, ['a.txt'], receivers.length === 0 ? undefined : receivers);
  const actor: Actor = { ...sent.sender, author: person };
  const id: SentId = { type: 'downloadfiles', dropId: sent.dropId };
  return { ...sent, actor, id };
}

const letUndoPass = (dropId: string) => query('update drops set restorable_until = now() where id = $1', [dropId]);
const readActions = async (actor: Actor, dropId: string) =>
  (await engines.store.audit.ofDrop(actor.accountId, dropId, 10)).map(({ action, author }) => [action, author.name]);

describe('a revocation that can be undone', () => {
  test('ends the links at once, and undone, they work with all files', async () => {
    const { actor, id, token } = await send();
    await revokeSentDrop(engines, actor, id, { undoSeconds });
    await expect(findLink(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_revoked' });
    await expect(showLinks(engines, actor, id)).rejects.toMatchObject({ code: 'link_revoked' });
    await sweep(engines);
    expect(await engines.store.sentDrops.find(actor.accountId, id)).toMatchObject({
      state: 'revoked',
      restorableUntil: expect.any(Date),
    });

    await restoreDrop(engines, actor, id);
    const link = await findLink(engines, token, 'downloadfiles');
    expect(await engines.store.links.files(link)).toHaveLength(1);
    await sweep(engines);
    expect(await engines.store.links.files(link)).toHaveLength(1);
    expect(await readActions(actor, id.dropId)).toEqual([
      ['drop.restored', 'maya@example.org'],
      ['drop.revoked', 'maya@example.org'],
      ['drop.created', actor.email],
    ]);
    const events = await query('select type from events where account_id = $1 order by sequence', [actor.accountId]);
    expect(events.slice(-2)).toEqual([{ type: 'drop.revoked' }, { type: 'drop.restored' }]);
  });

  test('clears the questions of receivers who asked for it again, but for those whose own link was revoked', async () => {
    const { actor, id, dropId, link } = await send('anna@example.org', 'bo@example.org');
    const bo = await engines.store.links.ofReceiver(actor.accountId, dropId, 'bo@example.org');
    await engines.store.sentDrops.revokeLink(actor.accountId, dropId, 1);
    await revokeSentDrop(engines, actor, id, { undoSeconds });
    for (const ended of [link, bo as Link]) await askSender(engines, { ...ended, ended: true, revoked: true });
    await restoreDrop(engines, actor, id);
    const asked = await query(
      'select send_again_asked_at is not null as asked from links where drop_id = $1 order by position',
      [dropId],
    );
    expect(asked).toEqual([{ asked: false }, { asked: true }]);
  });

  test('is final after its time: keys and files are destroyed', async () => {
    const { actor, id } = await send();
    await revokeSentDrop(engines, actor, id, { undoSeconds });
    await letUndoPass(id.dropId);
    await expect(restoreDrop(engines, actor, id)).rejects.toMatchObject({ code: 'link_ended' });
    await sweep(engines);
    expect(await query('select link_key, to_empty, remind_at from drops where id = $1', [id.dropId])).toEqual([
      { link_key: null, to_empty: false, remind_at: null },
    ]);
    expect(await query('select state from files where drop_id = $1', [id.dropId])).toEqual([{ state: 'gone' }]);
    // A clock that jumps back does not bring it to life.
    await query("update drops set restorable_until = now() + interval '1 hour' where id = $1", [id.dropId]);
    await expect(restoreDrop(engines, actor, id)).rejects.toMatchObject({ code: 'link_ended' });
  });

  test('holds back mails, which are sent when it is undone', async () => {
    const { actor, id } = await send();
    const [message] = await query<{ id: string }>('select id from messages where drop_id = $1', [id.dropId]);
    const work = { ...engines, mailer: { send: () => Promise.reject(new Error('nothing may be sent')) } };
    await revokeSentDrop(engines, actor, id, { undoSeconds });
    await sendMessage(work, actor.accountId, message?.id as string);
    const readState = () => query('select state from messages where drop_id = $1', [id.dropId]);
    expect(await readState()).toEqual([{ state: 'abandoned' }]);
    await restoreDrop(engines, actor, id);
    expect(await readState()).toEqual([{ state: 'waiting' }]);
  });

  test('of a program is final at once, and another account cannot undo one', async () => {
    const { actor, id } = await send();
    await revokeSentDrop(engines, actor, id, {});
    await expect(restoreDrop(engines, actor, id)).rejects.toMatchObject({ code: 'link_ended' });
    const other = await send();
    await expect(restoreDrop(engines, other.actor, id)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('showing links', () => {
  test('records who saw them, once for each receiver', async () => {
    const { actor, id, token } = await send('r@example.org', 's@example.org');
    const one = await showLinks(engines, actor, id, 0);
    expect([...one]).toEqual([[0, `${engines.policy.publicUrl}/d/${token}`]]);
    expect((await showLinks(engines, actor, id)).size).toBe(2);
    expect(await query('select shown_to from links where drop_id = $1 order by position', [id.dropId])).toEqual([
      { shown_to: ['maya@example.org'] },
      { shown_to: ['maya@example.org'] },
    ]);
    const entries = await engines.store.audit.ofDrop(actor.accountId, id.dropId, 2);
    expect(entries.map(({ action, details }) => [action, details])).toEqual([
      ['link.shown', { dropId: id.dropId, receivers: 2 }],
      ['link.shown', { dropId: id.dropId, position: 0 }],
    ]);
    await expect(showLinks(engines, actor, id, 7)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('is refused if the account’s rules forbid it', async () => {
    const { actor, id } = await send();
    await engines.store.accounts.setChoices(actor.accountId, { showLinks: false });
    await expect(showLinks(engines, actor, id)).rejects.toMatchObject({ code: 'role_missing' });
    await engines.store.accounts.setChoices(actor.accountId, { showLinks: true });
    await engines.store.quotas.setForAccount(actor.accountId, { receiverDomains: ['example.org'] });
    await expect(showLinks(engines, actor, id)).rejects.toMatchObject({ code: 'role_missing' });
  });
});

test('a corrected address gets a link of its own, and the wrong one stops working', async () => {
  const { actor, id, token } = await send('wrong@example.org');
  const added = await correctReceiver(engines, actor, id, 0, { email: 'right@example.org' });
  expect(added).toMatchObject({ position: 1, email: 'right@example.org' });
  await expect(findLink(engines, token, 'downloadfiles')).rejects.toMatchObject({ code: 'link_revoked' });
  await findLink(engines, added.token, 'downloadfiles');
  expect(await engines.store.sentDrops.summaries(actor.accountId, [id.dropId])).toMatchObject([
    { receivers: 1, firstReceiver: { email: 'right@example.org' }, firstFile: 'a.txt' },
  ]);
});
