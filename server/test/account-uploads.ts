import { randomBytes } from 'node:crypto';
import type { Actor } from '../src/domain/actor.ts';
import { uploadDraft } from '../src/domain/uploads/account-upload.ts';
import type { TestExchange } from './exchange.ts';

/** An upload of the account that is ready to be sent. Returns its id. */
export async function readyUpload(
  exchange: TestExchange,
  actor: Actor,
  path: string,
  content?: string,
): Promise<string> {
  const staging = randomBytes(8).toString('hex');
  await exchange.upload(actor, path, content, staging);
  const [file] = await exchange.database.query<{ id: string }>(
    'select id from files where account_id = $1 and draft = $2',
    [actor.accountId, staging],
  );
  const { id } = file as { id: string };
  const draft = uploadDraft(actor, id);
  await exchange.database.query('update files set draft = $3 where account_id = $1 and id = $2', [
    actor.accountId,
    id,
    draft,
  ]);
  await exchange.database.query('insert into drafts (account_id, name) values ($1, $2)', [actor.accountId, draft]);
  return id;
}
