// A backup, restored as docs/operations.md says: into an empty database and an empty bucket.
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { expect, test } from 'vitest';
import { engineS3 } from '../../tools/demo/bucket.ts';
import { uniqueAddress } from '../lib/accounts.ts';
import { Client, succeeded } from '../lib/client.ts';
import { linkTokens, waitForMail } from '../lib/mailbox.ts';
import { ownExchange } from '../lib/own-exchange.ts';
import { dispatch } from '../lib/scenario.ts';

const run = promisify(execFile);
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

test('every file of a restored backup can be read, every link works, and it goes on from there', async () => {
  const content = randomBytes(20 * 1024 * 1024 + 5);
  await using exchange = await ownExchange();
  const [sender, receiver] = await Promise.all([exchange.client('backed-up'), exchange.client('receiving')]);
  const person = uniqueAddress('person');
  await exchange.work();
  const files = [
    { name: 'large.bin', content },
    { name: 'empty.bin', content: Buffer.alloc(0) },
  ];
  await dispatch(sender, { to: [receiver.user, person], files });
  succeeded(await sender.upload({ name: 'staged.txt', content: 'staged' }));
  const [token = ''] = linkTokens(await waitForMail(person), 'd');
  await exchange.rest();

  const folder = mkdtempSync(join(tmpdir(), 'waybill-backup-'));
  const dump = join(folder, 'waybill.dump');
  try {
    await run('pg_dump', ['--format=custom', `--file=${dump}`, exchange.databaseUrl]);
    await using restored = await ownExchange({
      async fill(databaseUrl, bucket) {
        await run('pg_restore', ['--no-owner', '--exit-on-error', `--dbname=${databaseUrl}`, dump]);
        for (const key of await exchange.objectKeys()) {
          const from = `${exchange.bucket}/${key}`;
          await engineS3().send(new CopyObjectCommand({ Bucket: bucket, Key: key, CopySource: from }));
        }
      },
    });
    await exchange.first.stop();

    const [toSend, toReceive] = [sender, receiver].map(
      ({ account }) => new Client(account, { baseUrl: restored.baseUrl }),
    ) as [Client, Client];
    const [entry] = (await toReceive.readHistory()).inbox;
    for (const file of files) {
      const { body } = await toReceive.download(entry?.url ?? '', file.name);
      expect([file.name, sha256(body)]).toEqual([file.name, sha256(file.content)]);
    }
    expect((await toSend.plain('GET', `/d/${token}`)).status).toBe(200);
    expect((await toSend.readFiles()).map(({ name }) => name)).toEqual(['staged.txt']);
    await dispatch(toSend, { to: [receiver.user], files: [{ name: 'next.txt', content: 'next' }] });
    expect((await toReceive.readHistory()).inbox).toHaveLength(2);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
