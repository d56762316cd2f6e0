import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { collectGroups } from '../../../test/collect-groups.ts';
import { useTestExchange } from '../../../test/exchange.ts';
import { announceUpload, listDraftFiles, openRequestLink, readyFile } from '../../../test/file-requests.ts';
import { sentLink } from '../../../test/links.ts';
import type { Actor } from '../actor.ts';
import { readInbox } from '../drops/read-history.ts';
import type { Link } from '../links/link-store.ts';
import { sendFiles } from '../requests/send-files.ts';

const exchange = await useTestExchange();
const { engines } = exchange;

const inContactDraft = async (link: Link) =>
  Object.fromEntries(
    (await listDraftFiles(engines, link)).map(({ path, name, sizeBytes }) => [path, [name, sizeBytes]]),
  );
const inInbox = async (actor: Actor) => {
  const [entry] = await collectGroups(readInbox(engines, actor.accountId));
  const files = await engines.store.files.inInbox(actor.accountId, entry?.id as string);
  expect(files.map(({ name }) => name)).toEqual(entry?.files.map(({ name }) => name));
  return Object.fromEntries(files.map(({ path, name }) => [path, name]));
};

describe('a folder that a contact sends', () => {
  test('keeps its structure, and every file has a name of its own', async () => {
    const { actor, link } = await openRequestLink(exchange);
    for (const path of ['a/x.txt', 'b/x.txt', 'b/c/x.txt', 'x.txt', 'x (2).txt', 'b/y']) {
      await readyFile(engines, link, path);
    }
    await sendFiles(engines, link, '');
    expect(await inInbox(actor)).toEqual({
      'a/x.txt': 'x.txt',
      'b/x.txt': 'x (2).txt',
      'b/c/x.txt': 'x (3).txt',
      'x.txt': 'x (4).txt',
      'x (2).txt': 'x (2) (2).txt',
      'b/y': 'y',
    });
  });

  test('replaces a file of the same path only', async () => {
    const { link } = await openRequestLink(exchange);
    await readyFile(engines, link, 'a/x.txt', '1');
    await readyFile(engines, link, 'b/x.txt', '12');
    await readyFile(engines, link, 'b/x.txt', '123');
    await readyFile(engines, link, 'x.txt', '1234');
    await readyFile(engines, link, 'a/x.txt', '12345');
    expect(await inContactDraft(link)).toEqual({
      'a/x.txt': ['x.txt', 5],
      'b/x.txt': ['x (2).txt', 3],
      'x.txt': ['x (3).txt', 4],
    });
  });

  test('can be announced again where nothing of it arrived, and only there', async () => {
    const { link } = await openRequestLink(exchange);
    await announceUpload(engines, link, 'a/x.txt', 1);
    await announceUpload(engines, link, 'b/x.txt', 2);
    await announceUpload(engines, link, 'a/x.txt', 3);
    expect(await inContactDraft(link)).toEqual({ 'b/x.txt': ['x.txt', 2], 'a/x.txt': ['x.txt', 3] });
  });

  test('is refused where it would lead elsewhere', async () => {
    const { link } = await openRequestLink(exchange);
    for (const path of ['../x', '/x', 'a//x', 'a\\b/x', 'C:/x']) {
      await expect(announceUpload(engines, link, path, 1), path).rejects.toMatchObject({ code: 'invalid_name' });
    }
    expect(await listDraftFiles(engines, link)).toEqual([]);
  });
});

test('a drop keeps the paths of its files, and the checksums that a ZIP of them states', async () => {
  const { link } = await sentLink(exchange, ['z/x', 'a/x', 'x']);
  const content = (path: string) => Buffer.from(`content of ${path}`);
  const files = await engines.store.links.files(link);
  expect(
    files.map((file) => ({ name: file.name, path: file.path, sha256: file.sha256.toString('hex'), crc32: file.crc32 })),
  ).toEqual(
    ['z/x', 'a/x', 'x'].map((path, index) => ({
      name: index === 0 ? 'x' : `x (${index + 1})`,
      path,
      sha256: createHash('sha256').update(content(path)).digest('hex'),
      crc32: crc32(content(path)),
    })),
  );
});
