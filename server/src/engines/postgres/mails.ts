import { type RawBuilder, sql } from 'kysely';
import { sendMailJob } from '../../domain/mail/send-mail.ts';
import type { MailStore } from '../../domain/ports.ts';
import type { Database } from './database.ts';

/** Named in a mail; a longer list ends with an ellipsis. */
const filesInMail = 20;

const secondsFromNow = (seconds: number) => sql<Date>`now() + make_interval(secs => ${seconds})`;

export function mailStore(db: Database): MailStore {
  const mail = (accountId: string, id: string) =>
    db.updateTable('mails').where('account_id', '=', accountId).where('id', '=', id).where('state', '=', 'waiting');

  const settle: MailStore['settle'] = async (accountId, id, state, outcome) => {
    await sql`
      with settled as (
        update mails set state = ${state}, outcome = ${outcome}, settled_at = now()
        where account_id = ${accountId} and id = ${id} and state = 'waiting'
        returning account_id, drop_id, position, state
      )
      update links set notified_at = coalesce(notified_at, now()) from settled
      where settled.state = 'sent' and links.account_id = settled.account_id
        and links.drop_id = settled.drop_id and links.position = settled.position
    `.execute(db);
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
        select ${alarm()} from enqueued
      `.execute(db);
    },

    async take(accountId, id, leaseSeconds) {
      const taken = await mail(accountId, id)
        .where('due_at', '<=', sql<Date>`now()`)
        .set(({ eb }) => ({ attempts: eb('attempts', '+', 1), due_at: secondsFromNow(leaseSeconds) }))
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
        .select(['name', 'size_bytes as sizeBytes'])
        .select(sql<number>`(sum(size_bytes) over ())::bigint`.as('totalBytes'))
        .where('account_id', '=', accountId)
        .where('drop_id', '=', row.dropId)
        .orderBy('created_at')
        .limit(filesInMail)
        .$narrowType<{ sizeBytes: number }>()
        .execute();
      return { id, attempts: taken.attempts, ...row, files, totalBytes: files[0]?.totalBytes ?? 0 };
    },

    async retry(accountId, id, outcome, pauseSeconds) {
      await sql`
        with postponed as (
          update mails set outcome = ${outcome}, due_at = ${secondsFromNow(pauseSeconds)}
          where account_id = ${accountId} and id = ${id} and state = 'waiting'
          returning account_id, id, due_at
        )
        select ${alarm(sql`due_at`)} from postponed
      `.execute(db);
    },

    async wakeOverdue(overdueSeconds, count) {
      const { rows } = await sql`
        with overdue as (
          select account_id, id from mails
          where state = 'waiting' and due_at < now() - make_interval(secs => ${overdueSeconds})
          order by due_at limit ${count}
        )
        select ${alarm()} from overdue
      `.execute(db);
      return rows.length;
    },
  };
}

/** The job that sends the mail of a row. One a mail: setting it again replaces it, unless its process is at it or dead. */
function alarm(at: RawBuilder<unknown> = sql`now()`): RawBuilder<unknown> {
  return sql`graphile_worker.add_job(
    ${sendMailJob},
    json_build_object('accountId', account_id, 'mailId', id),
    run_at := ${at}, max_attempts := 1, job_key := 'mail:' || id::text)`;
}
