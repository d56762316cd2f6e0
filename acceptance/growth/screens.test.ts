// Every screen of the app, for an account with a tenth of all drops and as many contacts as it may have.
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fill } from '../../tools/lab/grow/fill.ts';
import { percentile } from '../../tools/shared/percentile.ts';
import { launchBrowser, visit } from '../lib/people/browser.ts';
import { Colleague } from '../lib/people/colleague.ts';
import { type OwnExchange, ownExchange } from '../lib/servers/own-exchange.ts';
import { privateBytes } from '../sizes/process-memory.ts';

const drops = Number(process.env['WAYBILL_GROWTH_DROPS'] ?? 1_000_000);
const contacts = 10_000;
const rounds = 200;
const warmUp = 5;
const hours = 3_600_000;
const screenMs = 150;
const searchMs = 300;
const tabBytes = 150e6;
/** How often the tab visits every screen: one that keeps what it has left would grow. */
const visits = 3;

let exchange: OwnExchange;
let colleague: Colleague;
let base: string;
let dropId: string;

beforeAll(async () => {
  exchange = await ownExchange();
  const { user } = await exchange.client('largest');
  colleague = await Colleague.signIn(exchange, user, 'owner');
  base = `/${encodeURIComponent(user)}/`;
  const pool = new pg.Pool({ connectionString: exchange.databaseUrl, max: 2 });
  const began = performance.now();
  await fill(pool, { drops, largest: user });
  await pool.query(
    `insert into contacts (account_id, email, position, name, phone, language, groups)
     select id, 'contact-' || number || '@example.org', number, 'Contact Number ' || number, '', 'en',
       array['group ' || number % 30]
     from accounts, generate_series(1, $2::int) as number where email = $1`,
    [user, contacts],
  );
  const { rows } = await pool.query<{ id: string; count: number }>(
    `select (array_agg(drops.id))[1] as id, count(*)::int as count
     from drops join accounts on accounts.id = drops.account_id
     where accounts.email = $1 and drops.type = 'downloadfiles'`,
    [user],
  );
  await pool.query('vacuum analyze');
  await pool.end();
  dropId = rows[0]?.id ?? '';
  report(`${rows[0]?.count} of ${drops} drops, filled in ${Math.round((performance.now() - began) / 1000)} s`);
}, 4 * hours);
afterAll(async () => {
  await exchange?.[Symbol.asyncDispose]();
}, hours);

const screens: Record<string, () => string> = {
  Send: () => '',
  Sent: () => 'sent',
  'Sent, what needs attention': () => 'sent?part=attention',
  'Sent, under way': () => 'sent?part=underway',
  'Sent, done': () => 'sent?part=done',
  'Sent by me': () => 'sent?by=me',
  'a delivery': () => `sent/${dropId}`,
  Inbox: () => 'inbox',
  Requests: () => 'requests',
  Contacts: () => 'contacts',
  'Contacts of a group': () => 'contacts?group=group+7',
  'settings of the person': () => 'settings',
  'settings of the account': () => 'settings/account',
};

const completion = 'completion of a receiver';
const searches: Record<string, () => string> = {
  'Sent, a text in every drop': () => 'sent?q=words+for',
  'Sent, what needs attention, a text in every drop': () => 'sent?part=attention&q=words+for',
  'Sent, a text in few drops': () => `sent?q=${dropId.slice(-6)}`,
  'Sent, a text in none': () => 'sent?q=nowhere+to+be+found',
  'Requests, a text in none': () => 'requests?q=nowhere+to+be+found',
  'Inbox, a text in none': () => 'inbox?q=nowhere+to+be+found',
  'Contacts, the last': () => 'contacts?q=number+9999',
  'Contacts, none': () => 'contacts?q=nobody',
  [completion]: () => 'receivers?q=9999',
};

test.each([
  ...Object.entries(screens).map(([name, path]) => [name, path, screenMs] as const),
  ...Object.entries(searches).map(([name, path]) => [name, path, searchMs] as const),
])('%s', { timeout: hours }, async (name, path, longestMs) => {
  const times: number[] = [];
  for (let round = -warmUp; round < rounds; round++) {
    const began = performance.now();
    const response = await colleague.open(`${base}${path()}`);
    if (round >= 0) times.push(performance.now() - began);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  }
  const [median, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  report(`${name}: median ${median.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
  expect(p99).toBeLessThan(longestMs);
});

test(`a tab of Chromium, after every screen ${visits} times`, { timeout: hours }, async () => {
  await using browser = await launchBrowser();
  await using visitor = await visit(browser, {}, exchange.baseUrl);
  const { context, page } = visitor;
  await context.addCookies(colleague.cookies);
  const devtools = await browser.newBrowserCDPSession();
  const sizes = new Map<string, number>();
  const measure = async (name: string) => {
    const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
    const renderers = processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => privateBytes(id));
    sizes.set(name, Math.max(sizes.get(name) ?? 0, ...renderers));
  };
  for (let round = 0; round < visits; round++) {
    for (const [name, path] of Object.entries({ ...screens, ...searches })) {
      if (name === completion) continue;
      await page.goto(new URL(`${base}${path()}`, exchange.baseUrl).href);
      await page.keyboard.press('End');
      await measure(name);
    }
    await page.goto(new URL(base, exchange.baseUrl).href);
    for (const typed of ['c', 'contact', 'number 9999']) {
      await page.getByRole('combobox', { name: 'To' }).fill(typed);
      await page.getByRole('option').first().waitFor();
      await measure(completion);
    }
  }
  for (const [name, bytes] of sizes) report(`${name}: ${(bytes / 1e6).toFixed(1)} MB in the tab`);
  expect(visitor.complaints).toEqual([]);
  expect(Math.max(...sizes.values())).toBeLessThan(tabBytes);
});

function report(text: string): void {
  process.stdout.write(`${text}\n`);
}
