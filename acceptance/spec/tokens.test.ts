// docs/api.md#csrf-token: how many CSRF tokens an account has, and which one is removed.
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import type { Client } from '../lib/http/client.ts';
import { assertErrorResponse } from '../lib/http/expect.ts';

const max = 60;

async function mint(client: Client, count: number): Promise<string[]> {
  const tokens: string[] = [];
  for (let i = 0; i < count; i++) tokens.push(await client.mintToken());
  return tokens;
}

async function isLive(client: Client, token: string): Promise<boolean> {
  const { status } = await client.contacts({ 'CSRF-Token': token });
  if (status !== 200 && status !== 403) throw new Error(`unexpected response ${status}`);
  return status === 200;
}

async function liveOnes(client: Client, tokens: string[]): Promise<string[]> {
  const live: string[] = [];
  for (const token of tokens) if (await isLive(client, token)) live.push(token);
  return live;
}

test('sixty tokens of one account are live at once', async () => {
  const client = await freshClient('sixty');
  const tokens = await mint(client, max);
  expect(new Set(tokens).size).toBe(max);
  expect(await liveOnes(client, tokens)).toEqual(tokens);
});

test('the sixty-first token pushes out the least recently used one, and no other', async () => {
  const client = await freshClient('sixty-one');
  const tokens = await mint(client, max);
  // Using the oldest makes the second the least recently used.
  expect(await isLive(client, tokens[0] ?? '')).toBe(true);
  tokens.push(await client.mintToken());
  assertErrorResponse(await client.contacts({ 'CSRF-Token': tokens[1] ?? '' }), 403, 'csrf_rejected');
  expect(await liveOnes(client, tokens)).toEqual(tokens.filter((_, i) => i !== 1));
});

test('the tokens of one account leave those of another alone', async () => {
  const [busy, quiet] = await Promise.all([freshClient('busy'), freshClient('quiet')]);
  const token = await quiet.mintToken();
  await mint(busy, max + 1);
  expect(await isLive(quiet, token)).toBe(true);
});

test('sixty-five tokens minted at once leave sixty', async () => {
  const client = await freshClient('crowd');
  const minted = await Promise.all(Array.from({ length: 65 }, () => client.mintToken()));
  expect(new Set(minted).size).toBe(65);
  expect(await liveOnes(client, minted)).toHaveLength(max);
});

test('a token in constant use survives sixty-five others minted around it', async () => {
  const client = await freshClient('survivor');
  const inUse = await client.mintToken();
  // The thirteen take turns, so there are at most thirteen new tokens between two uses: none is ever the oldest.
  const responses = await Promise.all(
    Array.from({ length: 13 }, async () => {
      const live: boolean[] = [];
      for (let turn = 0; turn < 5; turn++) {
        await client.mintToken();
        live.push(await isLive(client, inUse));
      }
      return live;
    }),
  );
  expect(responses.flat()).toEqual(Array.from({ length: 65 }, () => true));
});
