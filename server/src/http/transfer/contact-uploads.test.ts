import { expect, test } from 'vitest';
import { useTestExchange } from '../../../test/exchange.ts';
import { announceUpload, listDraftFiles, openRequestLink } from '../../../test/file-requests.ts';
import { MemoryLimits } from '../../../test/memory/memory-limits.ts';
import { chunkBytes } from '../../domain/files/sealing.ts';
import { ContactUploads } from './contact-uploads.ts';

const exchange = await useTestExchange();
const engines = { ...exchange.engines, failureLimit: new MemoryLimits().failureLimit({ failures: 10, seconds: 60 }) };

async function* makeChunk(character: string): AsyncGenerator<Buffer, void, void> {
  yield Buffer.alloc(chunkBytes, character);
}

test('stores bytes only at the offset of their request, although another request continued in between', async () => {
  const { link } = await openRequestLink(exchange);
  const id = await announceUpload(engines, link, 'a.bin', 2 * chunkBytes);
  const [slow, quick] = [0, 1].map(
    () => new ContactUploads(engines, link, { address: '192.0.2.1' }, { gone: new AbortController().signal }),
  ) as [ContactUploads, ContactUploads];
  expect((await slow.find(id)).receivedBytes).toBe(0);
  expect((await quick.find(id)).receivedBytes).toBe(0);
  expect(await quick.append(id, makeChunk('a'), 0)).toBe(chunkBytes);
  await expect(slow.append(id, makeChunk('a'), 0)).rejects.toMatchObject({ code: 'upload_superseded' });
  expect(await listDraftFiles(engines, link)).toMatchObject([{ receivedBytes: chunkBytes, state: 'uploading' }]);
});

test('receives an empty file with its creation, or at the next query if that was cut off', async () => {
  const { link } = await openRequestLink(exchange);
  const whole = { id: engines.random.uuid(), name: 'whole.txt', mediaType: 'text/plain', sizeBytes: 0 };
  await new ContactUploads(engines, link, { address: '192.0.2.1' }, { gone: new AbortController().signal }).create(
    whole,
  );
  const cutOff = await announceUpload(engines, link, 'cut off.txt', 0);
  expect((await listDraftFiles(engines, link)).map(({ state }) => state)).toEqual(['checking', 'uploading']);
  for (const id of [whole.id, cutOff, cutOff]) {
    const found = await new ContactUploads(
      engines,
      link,
      { address: '192.0.2.1' },
      { gone: new AbortController().signal },
    ).find(id);
    expect([found.receivedBytes, found.sizeBytes]).toEqual([0, 0]);
  }
  expect((await listDraftFiles(engines, link)).map(({ state }) => state)).toEqual(['checking', 'checking']);
});
