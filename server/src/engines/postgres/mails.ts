import { sql } from 'kysely';
import { mostAttempts, sendMailJob } from '../../domain/mail/send-mail.ts';
import type { MailStore } from '../../domain/ports.ts';
import type { Database } from './database.ts';

/** Named in a mail; a longer list ends with an ellipsis. */
const fileNamesInMail = 20;

export function mailStore(db: Database): MailStore {
  const mail = (accountId: string, id: string) =>
    db.updateTable('mails').where('account_id', '=', accountId).where('id', '=', id).where('state', '=', 'waiting');

  const settle: MailStore['settle'] = async (accountId, id, state, outcome) => {
    await mail(accountId, id).set({ state, outcome, settled_at: sql`now()` }).execute();
  };

  return {
    settle,

    async enqueueForDrop(accountId, dropId, mails) {
      await sql`
        with enqueued as (
          insert into mails (account_id, drop_id, id, position)
          select ${accountId}, ${dropId}, id, position
          from jsonb_to_recordset(${JSON.stringify(mails)}::jsonb) as mail (id uuid, position integer)
          returning account_id, id
        )
        select graphile_worker.add_job(
          ${sendMailJob},
          json_build_object('accountId', account_id, 'mailId', id),
          max_attempts := ${sql.lit(mostAttempts)})
        from enqueued
      `.execute(db);
    },

    async take(accountId, id) {
      const taken = await mail(accountId, id)
        .set(({ eb }) => ({ attempts: eb('attempts', '+', 1) }))
        .returning(['drop_id', 'position', 'attempts'])
        .executeTakeFirst();
      if (!taken) return undefined;
      const row = await db
        .selectFrom('links')
        .innerJoin('drops', (join) =>
          join.onRef('drops.account_id', '=', 'links.account_id').onRef('drops.id', '=', 'links.drop_id'),
        )
        .innerJoin('accounts', 'accounts.id', 'links.account_id')
        .select([
          'links.email as to',
          'links.language',
          'links.position',
          'drops.id as dropId',
          'drops.type as dropType',
          'drops.message',
          'drops.expires_at as expiresAt',
          'drops.link_key as linkKey',
          'drops.key_version as keyVersion',
          'drops.file_count as fileCount',
          'accounts.email as senderEmail',
        ])
        .where('links.account_id', '=', accountId)
        .where('links.drop_id', '=', taken.drop_id)
        .where('links.position', '=', taken.position)
        .where('drops.ended_at', 'is', null)
        .where('drops.expires_at', '>', sql<Date>`now()`)
        .where('drops.link_key', 'is not', null)
        .$narrowType<{ linkKey: Buffer }>()
        .executeTakeFirst();
      if (!row) {
        await settle(accountId, id, 'given_up', 'its drop ended before it could be sent');
        return undefined;
      }
      const files = await db
        .selectFrom('files')
        .select('name')
        .where('account_id', '=', accountId)
        .where('drop_id', '=', row.dropId)
        .orderBy('created_at')
        .limit(fileNamesInMail)
        .execute();
      return { id, attempts: taken.attempts, ...row, fileNames: files.map((file) => file.name) };
    },

    async noteFailure(accountId, id, outcome) {
      await mail(accountId, id).set({ outcome }).execute();
    },
  };
}
