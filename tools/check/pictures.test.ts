import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { drawnPictures, otherPictures } from '../pictures/list.ts';
import { documents } from './documents.ts';

const project = fileURLToPath(new URL('../../', import.meta.url));
const known = [...Object.keys(drawnPictures), ...Object.keys(otherPictures)].toSorted();

test('a command, a tool or a person has drawn every picture in docs/images, and no other is expected there', () => {
  expect(readdirSync(`${project}docs/images`).toSorted()).toEqual(known);
  for (const source of Object.values(otherPictures)) {
    if (source !== 'by hand') expect(existsSync(project + source), source).toBe(true);
  }
});

test('documents use every picture, and no other', () => {
  const used = documents.flatMap((path) =>
    [...readFileSync(project + path, 'utf8').matchAll(/\bimages\/([\w-]+\.(?:png|svg))/g)].map(([, name = '']) => name),
  );
  expect([...new Set(used)].toSorted()).toEqual(known);
});
