// Passphrases cannot be tried in bulk: the tries of a link are counted before they are checked, by all processes together,
// and checking them does not delay others.
import { expect, test } from 'vitest';
import { createAccount } from '../lib/accounts.ts';
import { demo } from '../lib/servers/running-demo.ts';
import { eventually } from '../lib/wait.ts';

const passphrase = 'copper lantern drift 42';
const freeTries = 6;

async function post(path: string, key: string | undefined, body: object): Promise<Response> {
  return await fetch(`${demo().base_url}/api/v1${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify(body),
  });
}

/** A drop with a passphrase, and for each of its links the session of a program. */
async function openLinks(count: number): Promise<{ key: string; sessions: string[] }> {
  const { apiKey: key } = await createAccount('passphrase');
  const uploaded = await fetch(`${demo().base_url}/api/v1/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-disposition': 'attachment; filename="report.txt"' },
    body: 'the report',
  });
  const { id } = (await uploaded.json()) as { id: string };
  const receivers = Array.from({ length: count }, (_, index) => ({ email: `receiver-${index}@example.org` }));
  const body = { uploads: [id], receivers, notify: false, passphrase };
  const { receivers: made } = await eventually('the file is checked', async () => {
    const response = await post('/drops', key, body);
    return response.status === 201 ? ((await response.json()) as { receivers: { link: string }[] }) : undefined;
  });
  const sessions = await Promise.all(
    made.map(async ({ link }) => {
      const opened = await post('/link/open', undefined, { secret: link.split('/').at(-1) });
      return ((await opened.json()) as { session: string }).session;
    }),
  );
  return { key, sessions };
}

test('of sixty tries at once, in two processes, six are checked', { timeout: 120_000 }, async () => {
  const { sessions } = await openLinks(1);
  const [session] = sessions;
  const tries = await Promise.all(
    Array.from({ length: 60 }, (_, index) => post('/link/passphrase', session, { passphrase: `wrong ${index}` })),
  );
  const statuses = tries.map(({ status }) => status);
  expect(statuses.filter((status) => status === 403)).toHaveLength(freeTries);
  expect(statuses.filter((status) => status === 429)).toHaveLength(60 - freeTries);
  for (const refused of tries.filter(({ status }) => status === 429))
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  // The right one has to wait, too.
  expect((await post('/link/passphrase', session, { passphrase })).status).toBe(429);
});

test('while as many are tried as a network may, others do not wait', { timeout: 120_000 }, async () => {
  const { key, sessions } = await openLinks(8);
  const measure = async () => {
    const began = performance.now();
    const response = await fetch(`${demo().base_url}/api/v1/account`, { headers: { authorization: `Bearer ${key}` } });
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    return performance.now() - began;
  };
  const alone: number[] = [];
  for (let index = 0; index < 60; index += 1) alone.push(await measure());

  const trying = new AbortController();
  const tries = Promise.all(
    sessions.flatMap((session) =>
      Array.from({ length: 5 }, () => post('/link/passphrase', session, { passphrase: 'a wrong passphrase' })),
    ),
  ).finally(() => trying.abort());
  const meanwhile: number[] = [];
  do meanwhile.push(await measure());
  while (!trying.signal.aborted || meanwhile.length < 10);
  expect((await tries).map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 403));

  const median = (times: readonly number[]) => times.toSorted((one, other) => one - other)[times.length >> 1] as number;
  process.stdout.write(
    `passphrases: a request takes ${median(alone).toFixed(1)} ms, and ${median(meanwhile).toFixed(1)} ms while 40 are tried\n`,
  );
  expect(median(meanwhile)).toBeLessThan(median(alone) + 250);
});
