import { expect, test } from 'vitest';
import type { KeyProvider } from '../../src/domain/ports/key-provider.ts';

const dataKey = Buffer.alloc(32, 9);

/** The contract of every key provider. `rotate` makes another master key wrap, and keeps the first one. */
export function keyProviderContract(
  name: string,
  open: () => Promise<{ readonly keys: KeyProvider; rotate(): Promise<KeyProvider> }>,
): void {
  test(`${name}: a wrapped key is unwrapped with its version and context`, async () => {
    const { keys } = await open();
    const { wrapped, version } = await keys.wrap(dataKey, 'file');
    const [current, ...others] = await keys.list();
    expect(current?.version).toBe(version);
    expect(others).toEqual([]);
    expect(wrapped.includes(dataKey)).toBe(false);
    expect(await keys.unwrap(wrapped, version, 'file')).toEqual(dataKey);
  });

  test(`${name}: wrapped twice, a key looks different`, async () => {
    const { keys } = await open();
    const [one, two] = [await keys.wrap(dataKey, 'file'), await keys.wrap(dataKey, 'file')];
    expect(one.wrapped).not.toEqual(two.wrapped);
  });

  test(`${name}: after a rotation another key wraps, and what the first one has wrapped is still unwrapped`, async () => {
    const { keys, rotate } = await open();
    const before = await keys.wrap(dataKey, 'file');
    const [first] = await keys.list();
    const rotated = await rotate();
    const after = await rotated.wrap(dataKey, 'file');
    expect(after.version).not.toBe(before.version);
    const known = await rotated.list();
    expect(known.map(({ version }) => version)).toEqual([after.version, before.version]);
    expect(new Set(known.map(({ fingerprint }) => fingerprint)).size).toBe(2);
    expect(known[1]).toEqual(first);
    for (const { wrapped, version } of [before, after]) {
      expect(await rotated.unwrap(wrapped, version, 'file')).toEqual(dataKey);
    }
  });

  test(`${name}: nothing is unwrapped in another context, under another version, or when it has changed`, async () => {
    const { keys, rotate } = await open();
    const { wrapped, version } = await keys.wrap(dataKey, 'file');
    const rotated = await rotate();
    const other = (await rotated.wrap(dataKey, 'file')).version;
    await expect(rotated.unwrap(wrapped, version, 'another file')).rejects.toThrow();
    await expect(rotated.unwrap(wrapped, other, 'file')).rejects.toThrow();
    await expect(rotated.unwrap(wrapped, 77, 'file')).rejects.toThrow();
    for (const at of [0, 7, Math.floor(wrapped.length / 2), wrapped.length - 1]) {
      const changed = Buffer.from(wrapped);
      changed[at] = (changed[at] as number) ^ 1;
      await expect(rotated.unwrap(changed, version, 'file')).rejects.toThrow();
      await expect(rotated.unwrap(wrapped.subarray(0, at), version, 'file')).rejects.toThrow();
    }
  });
}
