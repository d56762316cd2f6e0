import { closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openJournal } from './journal.ts';

test('a line for the journal begins with its priority, and no other line does', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waybill-journal-'));
  const descriptor = openSync(join(folder, 'log'), 'w');
  try {
    const { dev, ino } = fstatSync(descriptor);
    const log = pino({ level: 'debug' }, openJournal(`${dev}:${ino}`, descriptor));
    for (const level of ['fatal', 'error', 'warn', 'info', 'debug'] as const) log[level](level);
    const lines = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n');
    expect(lines.map((line) => line.slice(0, 4))).toEqual(['<2>{', '<3>{', '<4>{', '<6>{', '<7>{']);
    expect(openJournal(`${dev}:${ino + 1}`, descriptor)).toBeUndefined();
    expect(openJournal(undefined, descriptor)).toBeUndefined();
  } finally {
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  }
});
