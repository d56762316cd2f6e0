/** The yardstick for requests: Fastify and the select of contacts_read.cgi, and nothing else. Prints its address. */
import { fastify } from 'fastify';
import pg from 'pg';

const [databaseUrl, accountEmail] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
const { rows } = await pool.query<{ id: string }>('select id from accounts where email = $1', [accountEmail]);
const accountId = rows[0]?.id;

const app = fastify();
app.get('/contacts', async () => {
  const response = await pool.query<{ local: unknown; global: unknown }>(
    `select contacts_version, version,
       (select coalesce(json_agg(contact), '[]'::json) from
         (select email, phone as number, language, groups, name as nick from contacts where account_id = accounts.id order by position)
         as contact) as local,
       (select coalesce(json_agg(contact), '[]'::json) from
         (select email, phone as number, language, groups, name as nick from global_contacts order by position) as contact) as global
     from accounts inner join global_contacts_version on true where id = $1`,
    [accountId],
  );
  return { local: response.rows[0]?.local, global: response.rows[0]?.global };
});
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.on('SIGTERM', () => process.exit(0));
