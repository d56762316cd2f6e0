import { expect, test } from 'vitest';
import { requireKind } from '../../../../../tools/test/require-kind.ts';
import { urlOfDatabase } from '../../../../test/database-url.ts';
import { SetupError } from '../../../domain/setup-error.ts';
import { readOutput, runTool } from './client-tools.ts';

// For the client programs of PostgreSQL.
requireKind('engines');

const url = urlOfDatabase('waybill_no_such_database');
const dump = async (tool: string, address = url) => {
  for await (const _ of readOutput({ tool, parameters: [], databaseUrl: address }));
};
const feed = (tool: string) => runTool({ tool, parameters: ['--list'], input: nothing() });
async function* nothing() {
  yield Buffer.from('not a dump');
}

test('a tool that is not installed is named, with what to install', async () => {
  await expect(dump('pg_dump_away')).rejects.toThrow(SetupError);
  await expect(dump('pg_dump_away')).rejects.toThrow(/pg_dump_away is not installed\. .*apt install postgresql-client/);
  await expect(feed('pg_restore_away')).rejects.toThrow('pg_restore_away is not installed.');
});

test('the complaint of a tool that fails is passed on, without the password', async () => {
  await expect(dump('pg_dump')).rejects.toThrow(/pg_dump failed: .*"waybill_no_such_database" does not exist/);
  await expect(feed('pg_restore')).rejects.toThrow(/pg_restore failed: .*valid archive/);
  const secret = dump('pg_dump', url.replace('postgres@', 'postgres:pass%20word@'));
  await expect(secret).rejects.toThrow(/does not exist/);
  await expect(secret).rejects.not.toThrow(/pass.*word/);
});

test('the output ends when its reader has seen enough', async () => {
  const output = readOutput({ tool: 'pg_dump', parameters: ['--help'] });
  expect((await output.next()).value?.toString()).toContain('pg_dump');
  await output.return();
});

test('an input that fails is what is reported', async () => {
  async function* failing() {
    yield Buffer.from('PGDMP');
    throw new Error('the input ends here');
  }
  await expect(runTool({ tool: 'pg_restore', parameters: ['--list'], input: failing() })).rejects.toThrow(
    'the input ends here',
  );
});
