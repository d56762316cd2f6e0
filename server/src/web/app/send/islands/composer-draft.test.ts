import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { type DraftMemory, type KeptDraft, takeDraft } from './composer-draft.ts';

const day = 24 * 60 * 60 * 1000;
const now = 100 * day;

/** Keeps drafts in an array; a tab holds one for as long as it is open. */
function setUp(drafts: readonly Pick<KeptDraft, 'id' | 'changedAt'>[], held: readonly string[] = []) {
  const kept = drafts.map((draft) => ({
    ...draft,
    key: 'maya',
    requestId: draft.id,
    named: '',
    pressed: '',
    written: '',
    files: [],
  }));
  const locks = new Set(held);
  const removed: string[] = [];
  const waits: number[] = [];
  const memory: DraftMemory = {
    list: () => Promise.resolve(kept.filter(({ id }) => !removed.includes(id))),
    write: () => Promise.resolve(),
    remove: (id) => Promise.resolve(void removed.push(id)),
  };
  const hold = (id: string, withinMs: number) => {
    waits.push(withinMs);
    if (locks.has(id)) return Promise.resolve(false);
    locks.add(id);
    return Promise.resolve(true);
  };
  return { removed, waits, take: (own?: string) => takeDraft(memory, 'maya', own, now, hold) };
}

describe('a page takes', () => {
  const drafts = [
    { id: 'older', changedAt: now - 2 * day },
    { id: 'newer', changedAt: now - day },
  ];

  test('the draft that was changed last', async () => {
    expect(await setUp(drafts).take()).toMatchObject({ id: 'newer' });
  });

  test('after a reload its own, for which it waits until the page before it is gone', async () => {
    const { take, waits } = setUp(drafts);
    expect(await take('older')).toMatchObject({ id: 'older' });
    expect(waits[0]).toBeGreaterThan(0);
  });

  test('none that another tab has', async () => {
    expect(await setUp(drafts, ['newer']).take()).toMatchObject({ id: 'older' });
    expect(await setUp(drafts, ['newer', 'older']).take('newer')).toBeUndefined();
  });

  test('none whose uploads the server has deleted', async () => {
    const { take, removed } = setUp([{ id: 'old', changedAt: now - 8 * day }]);
    expect(await take()).toBeUndefined();
    expect(removed).toEqual(['old']);
  });
});

property.prop([
  fc.uniqueArray(fc.record({ id: fc.uuid(), changedAt: fc.integer({ min: now - 20 * day, max: now }) }), {
    selector: ({ id }) => id,
    maxLength: 6,
  }),
  fc.integer({ min: 1, max: 8 }),
])('no two tabs ever take the same draft, and together they take all that are left', async (drafts, tabs) => {
  const { take } = setUp(drafts);
  const taken: string[] = [];
  for (let tab = 0; tab < tabs; tab += 1) {
    const draft = await take(drafts[tab]?.id);
    if (draft) taken.push(draft.id);
  }
  expect(new Set(taken).size).toBe(taken.length);
  const fresh = drafts.filter(({ changedAt }) => now - changedAt < 7 * day).length;
  expect(taken.length).toBe(Math.min(tabs, fresh));
});
