import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { abortOnSignals } from './signals.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function listen() {
  const process = new EventEmitter();
  const exits: number[] = [];
  return { process, exits, signal: abortOnSignals(process, (code) => exits.push(code)) };
}

test('the first signal asks the command to end', () => {
  const { process, exits, signal } = listen();
  expect(signal.aborted).toBe(false);
  process.emit('SIGTERM');
  expect([signal.aborted, exits]).toEqual([true, []]);
});

test('a second signal ends the process at once', () => {
  const { process, exits } = listen();
  process.emit('SIGINT');
  process.emit('SIGTERM');
  expect(exits).toEqual([130]);
});

test('5 seconds after the first signal, the process ends in any case', () => {
  const { process, exits } = listen();
  process.emit('SIGTERM');
  vi.advanceTimersByTime(4_999);
  expect(exits).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(exits).toEqual([130]);
});
