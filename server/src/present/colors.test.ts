import { readFileSync } from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { contrast, toShades } from './colors.ts';

const colors = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`);
const [light = {}, dark = {}] = readFileSync(new URL('../web/shared/styles/tokens.css', import.meta.url), 'utf8')
  .split('@media (prefers-color-scheme: dark)')
  .map((rule) =>
    Object.fromEntries([...rule.matchAll(/--([\w-]+): (#[\da-f]{6});/g)].map(([, name, hex]) => [name, hex])),
  );

const news = ['good', 'warn', 'bad'];
const text = ['ink', 'quiet', 'accent', ...news];
/** Pairs of colours that touch, and the contrast that they need: 4.5 for text, 3 for the edge of a control. */
const pairs = [
  ...['page', 'card', 'tint'].flatMap((surface) => [
    ...text.map((over) => [over, surface, 4.5] as const),
    ['edge', surface, 3] as const,
  ]),
  ...news.flatMap((tone) => [tone, 'ink', 'quiet'].map((over) => [over, `${tone}-tint`, 4.5] as const)),
  ['on-fill', 'fill', 4.5] as const,
  ['on-fill', 'fill-hover', 4.5] as const,
];

function tooLow(tokens: Record<string, string | undefined>): string[] {
  return pairs
    .map(([over, under, wanted]) => [over, under, wanted, contrast(tokens[over] ?? '', tokens[under] ?? '')] as const)
    .filter(([, , wanted, found]) => !(found >= wanted))
    .map(([over, under, , found]) => `${over} on ${under}: ${found}`);
}

describe('everything is readable, in light and in dark', () => {
  test("in Waybill's own colours", () => {
    expect([...tooLow(light), ...tooLow({ ...light, ...dark })]).toEqual([]);
  });

  test.prop([colors])('in the colour of an operator, whatever it is', (color) => {
    const shades = toShades(color);
    for (const [tokens, { accent, fill, fillHover, onFill, tint }] of [
      [light, shades.light],
      [{ ...light, ...dark }, shades.dark],
    ] as const) {
      expect(tooLow({ ...tokens, accent, fill, 'fill-hover': fillHover, 'on-fill': onFill, tint })).toEqual([]);
    }
  });
});

describe("an operator's colour", () => {
  test('is not changed where it is readable', () => {
    expect(toShades('#0b5d63').light).toMatchObject({ accent: '#0b5d63', fill: '#0b5d63', onFill: '#ffffff' });
  });

  test('is not changed on a button if it is bright', () => {
    expect(toShades('#ffe000').light).toMatchObject({ fill: '#ffe000', onFill: '#0c1214' });
  });
});

test('computes contrasts as WCAG defines them', () => {
  expect(contrast('#000000', '#ffffff')).toBe(21);
  expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
});
