import { describe, expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import {
  announceUpload,
  listDraftFiles,
  openRequestLink,
  readyFile,
  receivedFile,
} from '../../../test/file-requests.ts';
import type { Link } from '../links/link-store.ts';
import type { Policy } from '../policy.ts';
import { contactDraftName } from '../uploads/contact-draft.ts';
import { announceFile, findLinkFileSizeLimit } from './announce-file.ts';
import { sendFiles } from './send-files.ts';

const exchange = await useTestExchange();
const { engines } = exchange;

const namesOn = async (link: Link) => (await listDraftFiles(engines, link)).map(({ name }) => name);

describe('what goes through one link', () => {
  const announce = (link: Link, name: string, sizeBytes: number, requestMaxBytes = 100) =>
    announceFile({ ...engines, policy: { ...engines.policy, requestMaxBytes } }, link, {
      id: engines.random.uuid(),
      name,
      mediaType: 'text/plain',
      sizeBytes,
    });

  test('is as much as the policy allows, and no more: what was sent, what is ready and what is on its way', async () => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'sent.txt', 'x'.repeat(40));
    await sendFiles(engines, link, '');
    await readyFile(engines, link, 'ready.txt', 'x'.repeat(20));
    await receivedFile(engines, link, 'being checked.txt', 'x'.repeat(10));
    await announce(link, 'on its way.txt', 20);
    const before = await namesOn(link);
    await expect(announce(link, 'too large.txt', 11)).rejects.toMatchObject({ code: 'too_large' });
    expect(await namesOn(link)).toEqual(before);
    await announce(link, 'fits.txt', 10);
    await expect(announce(link, 'one byte more.txt', 1)).rejects.toMatchObject({ code: 'too_large' });
    await announce(link, 'empty.txt', 0);
  });

  test('is counted by link: what others send is theirs', async () => {
    const { actor, links } = await openRequestLink(exchange, ['c@example.org', 'd@example.org']);
    const [mine, other] = links as [Link, Link];
    const { link: later } = await openRequestLink(exchange, ['c@example.org'], actor);
    await announce(mine, 'a.txt', 100);
    for (const link of [other, later]) await announce(link, 'a.txt', 100);
    for (const link of [mine, other, later]) {
      await expect(announce(link, 'b.txt', 1)).rejects.toMatchObject({ code: 'too_large' });
    }
  });

  test('does not include what was removed, refused, or announced in vain and is announced again', async () => {
    const { link } = await openRequestLink(exchange);
    await announce(link, 'removed.txt', 100);
    const [file] = await listDraftFiles(engines, link);
    await engines.store.uploads.remove(link.accountId, contactDraftName(link), file?.id as string);
    const refused = await receivedFile(engines, link, 'refused.txt', 'x'.repeat(100));
    await engines.store.uploads.refuse(link.accountId, refused, 'infected');
    await announce(link, 'again.txt', 100);
    await announce(link, 'again.txt', 100);
    expect(await namesOn(link)).toEqual(['refused.txt', 'again.txt']);
  });

  test('is no more when it is announced all at once', async () => {
    const { link } = await openRequestLink(exchange);
    const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map((nth) => announce(link, `${nth}.txt`, 40)));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
  });
});

describe('a file that is too large for the scanner', () => {
  const announce = (link: Link, scan: Policy['scan'], sizeBytes: number) => {
    const scanner = { ...engines.scanner, maxBytes: 1_000 };
    const file = { id: engines.random.uuid(), name: 'a.txt', mediaType: 'text/plain', sizeBytes };
    return announceFile({ ...engines, scanner, policy: { ...engines.policy, scan } }, link, file);
  };

  test('is refused before its first byte, where a scan is required', async () => {
    const { link } = await openRequestLink(exchange);
    await expect(announce(link, 'required', 1_001)).rejects.toMatchObject({ code: 'too_large_to_scan' });
    expect(await namesOn(link)).toEqual([]);
    await announce(link, 'required', 1_000);
    expect(await namesOn(link)).toEqual(['a.txt']);
  });

  test.each(['best-effort', 'off'] as const)('is taken under "%s"', async (scan) => {
    const { link } = await openRequestLink(exchange);
    await announce(link, scan, 1_001);
    expect(await namesOn(link)).toEqual(['a.txt']);
  });
});

describe('the size of the largest file that a contact can send', () => {
  const least = { requestMaxBytes: 9_000, maxFileBytes: 9_000, maxStoredBytes: 9_000, scannerBytes: 9_000 };
  test.each([
    ['file', { ...least, maxFileBytes: 1_000 }],
    ['storage', { ...least, maxStoredBytes: 1_040 }],
    ['link', { ...least, requestMaxBytes: 1_040 }],
    ['scan', { ...least, scannerBytes: 1_000 }],
  ] as const)('is that of %s, and exactly what is accepted', async (reason, { scannerBytes, ...limits }) => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'ready.txt', 'x'.repeat(40));
    const scanner = { ...engines.scanner, maxBytes: scannerBytes };
    const limited = { ...engines, scanner, policy: { ...engines.policy, ...limits, scan: 'required' as const } };
    expect(await findLinkFileSizeLimit(limited, link)).toEqual({ bytes: 1_000, reason });
    const file = { id: engines.random.uuid(), name: 'a.txt', mediaType: 'text/plain' };
    await expect(announceFile(limited, link, { ...file, sizeBytes: 1_001 })).rejects.toThrow();
    await announceFile(limited, link, { ...file, sizeBytes: 1_000 });
  });
});

test('a file announced again, of which bytes have come, is another file', async () => {
  const { link } = await openRequestLink(exchange);
  const first = await announceUpload(engines, link, 'a.txt', 70_000);
  await exchange.database.query('update uploads set received_bytes = 65536 where id = $1', [first]);
  await announceUpload(engines, link, 'a.txt', 70_000);
  expect(await namesOn(link)).toEqual(['a.txt', 'a.txt']);
});
