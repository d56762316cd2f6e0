// Opening links cannot flood a phone with codes: there is a limit per number, across links and accounts.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { freshClient } from '../lib/accounts.ts';
import { type Sent, sendFiles } from '../lib/people/receiver.ts';
import { textsTo } from '../lib/people/sms.ts';
import { adminJson } from '../lib/servers/admin.ts';
import { eventually } from '../lib/wait.ts';

const codesPerHour = 20;

test('one number is sent 20 codes an hour, however many links are opened, and then the page says so', {
  timeout: 120_000,
}, async () => {
  const number = `4670${randomInt(1e7, 1e8)}`;
  const threeLinks = async (): Promise<Sent[]> => {
    const client = await freshClient('codes');
    await adminJson(['accounts', 'set', '--email', client.user, '--second-factor', 'sms', '--json']);
    const sent: Sent[] = [];
    for (const name of ['a', 'b', 'c']) sent.push(await sendFiles(client, [{ name, content: name }], { number }));
    return sent;
  };
  const links = (await Promise.all([threeLinks(), threeLinks()])).flat();
  // Each link may have five, so all of them together may have 30.
  const opened = await Promise.all(
    links.flatMap(({ link }) =>
      Array.from({ length: 5 }, () =>
        fetch(link, { method: 'POST', body: new URLSearchParams({ gesture: 'pressed' }), redirect: 'manual' }),
      ),
    ),
  );
  expect(opened.map(({ status }) => status)).toEqual(opened.map(() => 303));
  const pages = await Promise.all(
    opened.map(async ({ url, headers }) => {
      const page = await fetch(new URL(headers.get('location') ?? '', url), {
        headers: { cookie: headers.get('set-cookie')?.split(';', 1)[0] ?? '' },
      });
      return page.text();
    }),
  );
  expect(pages.filter((page) => page.includes('many codes'))).toHaveLength(opened.length - codesPerHour);
  const texts = await eventually('as many texts as are allowed', async () => {
    const received = await textsTo(number);
    return received.length >= codesPerHour ? received : undefined;
  });
  expect(texts).toHaveLength(codesPerHour);
});
