import { expect, test } from 'vitest';
import type { Sending } from './send-files.ts';
import { type Remembered, SendIntent } from './send-intent.ts';
import type { Entry, UploadState } from './upload-entry.ts';

/** Creates a list of files whose states the test sets, and a server that gives the test's responses. */
function setUp(
  remembered: Pick<Remembered, 'written' | 'pressed' | 'mark'> = { written: '', pressed: false },
  mark?: () => string,
) {
  const happened: string[] = [];
  const sent: string[] = [];
  const timers: (() => void)[] = [];
  let memory: Remembered | undefined;
  let response: Sending = 'sent';
  const list = { entries: [] as Entry[], removals: 0 };
  const queue = {
    get entries() {
      return list.entries;
    },
    get ready() {
      return list.entries.some(({ state }) => state === 'ready') && list.removals === 0;
    },
    get settled() {
      return list.entries.every(({ state }) => state === 'ready');
    },
    recheck: () => void happened.push('recheck'),
    heard: (reachable: boolean) => {
      if (!reachable) happened.push('unreachable');
      intent.check();
    },
    removeAll: (state: UploadState) => {
      list.entries = list.entries.filter((entry) => entry.state !== state);
    },
  };
  const intent = new SendIntent(
    {
      queue,
      ...(mark && { mark }),
      send: (written) => Promise.resolve(response).finally(() => sent.push(written)),
      remember: (what) => (memory = what),
      after: (_, then) => timers.push(then),
    },
    remembered,
  );
  intent.onSent = () => happened.push('sent');
  intent.onEnded = () => happened.push('ended');
  intent.onFailed = () => happened.push('failed');
  const become = async (states: Record<string, UploadState>) => {
    list.entries = Object.entries(states).map(([name, state], key) => ({
      key,
      name,
      path: `folder/${name}`,
      sizeBytes: 9,
      sentBytes: 0,
      fingerprint: `print of ${name}`,
      state,
      scan: undefined,
      obstacle: undefined,
    }));
    intent.check();
    await settle();
  };
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const ring = async () => {
    for (const timer of timers.splice(0)) timer();
    await settle();
  };
  return {
    intent,
    list,
    sent,
    happened,
    become,
    settle,
    ring,
    responses: (next: Sending) => (response = next),
    memory: () => memory,
  };
}

test('sends once, when all files are ready, if it was pressed during the upload', async () => {
  const { intent, sent, happened, become, memory } = setUp();
  await become({ a: 'uploading', b: 'waiting' });
  intent.write('Here');
  intent.press();
  expect(intent.state).toBe('waiting');
  for (const state of ['checking', 'paused', 'offline', 'failed', 'interrupted'] as const) {
    await become({ a: 'ready', b: state });
    expect([state, sent]).toEqual([state, []]);
  }
  await become({ a: 'ready', b: 'ready' });
  expect(sent).toEqual(['Here']);
  expect(happened).toEqual(['sent']);
  expect(memory()).toBeUndefined();
});

test('sends nothing if "Send" was not pressed, or was cancelled', async () => {
  const { intent, sent, become } = setUp();
  await become({ a: 'ready' });
  intent.press();
  intent.cancel();
  await become({ a: 'uploading' });
  intent.press();
  intent.cancel();
  await become({ a: 'ready' });
  // A sending in progress can no longer be cancelled.
  expect(sent).toEqual(['']);
});

test('waits for the person to decide if a file is refused', async () => {
  const { intent, list, sent, become, settle } = setUp();
  await become({ good: 'uploading', bad: 'checking' });
  intent.press();
  await become({ good: 'ready', bad: 'refused' });
  expect([intent.state, sent]).toEqual(['waiting', []]);
  intent.press();
  await settle();
  expect(list.entries.map(({ name }) => name)).toEqual(['good']);
  expect(sent).toEqual(['']);
});

test('remembers the message, the intent and the chosen files for the next visit', async () => {
  const { intent, become, memory } = setUp();
  await become({ a: 'ready', b: 'waiting', bad: 'refused' });
  intent.remember();
  expect(memory()).toEqual({
    written: '',
    pressed: false,
    files: ['a', 'b'].map((name) => ({
      name,
      path: `folder/${name}`,
      sizeBytes: 9,
      fingerprint: `print of ${name}`,
    })),
  });
  intent.write('Here');
  intent.press();
  expect(memory()).toMatchObject({ written: 'Here', pressed: true });
  intent.cancel();
  expect(memory()).toMatchObject({ written: 'Here', pressed: false });
});

test('sends on this visit if it was pressed on an earlier one', async () => {
  const { intent, sent, become } = setUp({ written: 'From yesterday', pressed: true });
  expect(intent.state).toBe('waiting');
  await become({ a: 'interrupted', b: 'ready' });
  expect(sent).toEqual([]);
  await become({ a: 'ready', b: 'ready' });
  expect(sent).toEqual(['From yesterday']);
});

test('discards the intent when all files are removed', async () => {
  const { intent, become, memory } = setUp();
  await become({ a: 'uploading' });
  intent.press();
  await become({});
  intent.remember();
  expect([intent.state, memory()]).toEqual(['none', undefined]);
});

test('tries again after a while if the server is unavailable', async () => {
  const { intent, sent, happened, become, ring, responses } = setUp();
  responses('unreachable');
  await become({ a: 'ready' });
  intent.press();
  await become({ a: 'ready' });
  await become({ a: 'ready' });
  expect([sent.length, intent.state]).toEqual([1, 'waiting']);
  responses('sent');
  await ring();
  expect(happened).toEqual(['unreachable', 'sent']);
});

test.each<[Sending, string, string]>([
  ['not_ready', 'recheck', 'waiting'],
  ['failed', 'failed', 'none'],
  ['ended', 'ended', 'waiting'],
])('handles the response %s', async (response, what, state) => {
  const { intent, happened, become, settle, responses } = setUp();
  responses(response);
  await become({ a: 'ready' });
  intent.press();
  await settle();
  expect([happened, intent.state]).toEqual([[what], state]);
});

test('tries again if the server is not ready, although nothing changes here', async () => {
  const { intent, happened, become, settle, ring, responses } = setUp();
  responses('not_ready');
  await become({ a: 'ready' });
  intent.press();
  await settle();
  responses('sent');
  await ring();
  expect(happened).toEqual(['recheck', 'sent']);
});

test('is no longer valid once something else would be sent than was shown, and says so', async () => {
  const shown = { what: 'to Anna' };
  const { intent, sent, happened, become } = setUp(undefined, () => shown.what);
  intent.onLapsed = () => void happened.push('lapsed');
  await become({ a: 'uploading' });
  intent.press();
  shown.what = 'to Bo';
  await become({ a: 'ready' });
  expect([intent.state, happened, sent]).toEqual(['none', ['lapsed'], []]);
  intent.press();
  await become({ a: 'ready' });
  expect(sent).toHaveLength(1);
});

test('of an earlier visit is only valid for what was shown then', async () => {
  const { intent, sent, become } = setUp({ written: '', pressed: true, mark: 'to Anna' }, () => 'to Bo');
  await become({ a: 'ready' });
  expect([intent.state, sent]).toEqual(['none', []]);
});
