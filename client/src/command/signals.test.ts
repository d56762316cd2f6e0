import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { abortOnSignals } from './signals.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function listen() {
  const process = new EventEmitter();
  const kills: number[] = [];
  const kill = () => void kills.push(process.listenerCount('SIGINT'));
  return { process, kills, signal: abortOnSignals(process, kill) };
}

test('the first signal asks the command to end', () => {
  const { process, kills, signal } = listen();
  expect(signal.aborted).toBe(false);
  process.emit('SIGTERM');
  expect([signal.aborted, kills]).toEqual([true, []]);
});

test('a second signal ends the process at once', () => {
  const { process, kills } = listen();
  process.emit('SIGINT');
  process.emit('SIGTERM');
  expect(kills).toEqual([0]);
});

test('5 seconds after the first signal, the process ends in any case', () => {
  const { process, kills } = listen();
  process.emit('SIGTERM');
  vi.advanceTimersByTime(4_999);
  expect(kills).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(kills).toEqual([0]);
});
