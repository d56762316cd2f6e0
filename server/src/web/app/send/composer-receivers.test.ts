import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { dropPath, readKeptDrafts, reloadComposer, useComposer } from '../../../../test/composer-browser.ts';

const { exchange, notes, visit } = await useComposer();
const anna = 'anna@example.org';
const bo = 'bo@example.org';

let visitor: Awaited<ReturnType<typeof visit>>;
beforeEach(async () => {
  visitor = await visit();
});
afterEach(() => visitor.context.close());

const soon = <Value>(read: () => Promise<Value>) => expect.poll(read, { timeout: 15_000 });
const name = async (page: Page, address: string) => {
  await page.getByRole('combobox', { name: 'To' }).fill(address);
  await page.keyboard.press('Enter');
  await page.locator('.chip', { hasText: address }).waitFor();
};
const send = (page: Page) => page.getByRole('button', { name: /^Send/ }).click();
const cancelButton = (page: Page) => page.getByRole('button', { name: 'Cancel' });
const readChips = (page: Page) => page.locator('.chip-name').allTextContents();
const readMessage = (page: Page) => page.locator('[name=message]').inputValue();
const isSent = (page: Page) => page.waitForURL(/\/sent\//, { waitUntil: 'commit' });
/** The receivers of each delivery, with its files and message. */
const readSent = () =>
  exchange.database.query<{ receivers: string; files: string | null; message: string }>(
    `select (select string_agg(email, ' ' order by email) from links where drop_id = drops.id) as receivers,
            (select string_agg(name, ' ' order by name) from files where drop_id = drops.id) as files, message
       from drops where account_id = $1 order by created_at`,
    [visitor.member.account.accountId],
  );

/** A delivery of a file that does not arrive, to one person, for which "Send" was pressed. */
async function pressForAnna(): Promise<Page> {
  const page = await visitor.open();
  visitor.network.isCutOff = true;
  await dropPath(page, notes);
  await name(page, anna);
  await page.locator('[name=message]').fill('For Anna');
  await press(page);
  return page;
}

/** Presses "Send", and waits only until the page says so. */
async function press(page: Page): Promise<void> {
  await page.locator('.upload', { hasText: 'notes.txt' }).waitFor();
  await send(page);
  await cancelButton(page).waitFor();
}

/** Has a draft read only once somebody is named, on the next page. */
const lateDraft = (page: Page) =>
  page.addInitScript(() => {
    if (sessionStorage.getItem('wasLate')) return;
    sessionStorage.setItem('wasLate', 'yes');
    const list = IDBIndex.prototype.getAll;
    const isNamed = () => document.querySelector('.chip') !== null;
    IDBIndex.prototype.getAll = function getAll(this: IDBIndex, ...query) {
      const request = list.apply(this, query);
      const listen = request.addEventListener.bind(request);
      request.addEventListener = (type: string, listener: EventListener) =>
        listen(type, (event) => {
          const wait = () => (isNamed() ? listener(event) : void setTimeout(wait, 20));
          wait();
        });
      return request;
    } as typeof list;
  });

test.each([
  [
    'the response about them is late',
    async (page: Page) => {
      visitor.network.handlers['receivers'] = async (route) => {
        await page.locator('.composer-files .drop, .upload').first().waitFor();
        await route.continue();
      };
    },
  ],
  ['the draft is late', lateDraft],
])('a page that names another receiver takes up no draft, but offers it, if %s', async (_what, delay) => {
  const page = await pressForAnna();
  await delay(page);
  await visitor.go(page, `?to=${encodeURIComponent(bo)}`);
  const offer = page.locator('#other-draft');
  await offer.getByText(anna).waitFor();
  await soon(() => readChips(page)).toEqual([bo]);
  expect([await page.locator('.upload').count(), await readMessage(page)]).toEqual([0, '']);
  visitor.network.isCutOff = false;
  await page.locator('[name=message]').fill('For Bo');
  await send(page);
  await isSent(page);
  expect(await readSent()).toEqual([{ receivers: bo, files: null, message: 'For Bo' }]);
});

test('a draft that comes after somebody has begun to write is offered', async () => {
  const page = await pressForAnna();
  await lateDraft(page);
  await page.reload();
  await name(page, bo);
  await page.locator('#other-draft').getByText(anna).waitFor();
  expect(await readChips(page)).toEqual([bo]);
  visitor.network.isCutOff = false;
  await page.locator('#other-draft').getByRole('link', { name: 'Open the draft' }).click();
  await isSent(page);
  expect(await readSent()).toEqual([{ receivers: anna, files: 'notes.txt', message: 'For Anna' }]);
});

test('two pages of one browser each send what they show', async () => {
  const page = await pressForAnna();
  const other = await visitor.open(`?to=${encodeURIComponent(bo)}`);
  await soon(() => readChips(other)).toEqual([bo]);
  expect(await other.locator('#other-draft').textContent(), 'a page has it').toBe('');
  await other.locator('[name=message]').fill('For Bo');
  await send(other);
  await isSent(other);
  visitor.network.isCutOff = false;
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await isSent(page);
  expect(await readSent()).toEqual([
    { receivers: bo, files: null, message: 'For Bo' },
    { receivers: anna, files: 'notes.txt', message: 'For Anna' },
  ]);
});

test('Back from a page that names somebody else leads to what was written before', async () => {
  const page = await pressForAnna();
  await visitor.go(page, `?to=${encodeURIComponent(bo)}`);
  await soon(() => readChips(page)).toEqual([bo]);
  visitor.network.isCutOff = false;
  await page.goBack();
  await isSent(page);
  expect(await readSent()).toEqual([{ receivers: anna, files: 'notes.txt', message: 'For Anna' }]);
});

test('a draft that is offered goes to those for whom "Send" was pressed', async () => {
  const page = await pressForAnna();
  await visitor.go(page, `?to=${encodeURIComponent(bo)}`);
  visitor.network.isCutOff = false;
  await page.locator('#other-draft').getByRole('link', { name: 'Open the draft' }).click();
  await isSent(page);
  expect(await readSent()).toEqual([{ receivers: anna, files: 'notes.txt', message: 'For Anna' }]);
});

test('a page that names a receiver has its own draft after a reload', async () => {
  const page = await visitor.open(`?to=${encodeURIComponent(bo)}`);
  await soon(() => readChips(page)).toEqual([bo]);
  await name(page, anna);
  await page.locator('.chip', { hasText: bo }).getByRole('button').click();
  await page.locator('[name=message]').fill('Instead of Bo');
  await soon(() => readKeptDrafts(page)).toContain('Instead of Bo');
  await reloadComposer(page);
  await soon(() => readChips(page)).toEqual([anna]);
  expect(await readMessage(page)).toBe('Instead of Bo');
  expect(await page.locator('#other-draft').textContent()).toBe('');
});

/** A page that names somebody, to which only a file was added, and "Send" was pressed. */
async function pressForNamed(): Promise<Page> {
  const page = await visitor.open(`?to=${encodeURIComponent(bo)}`);
  visitor.network.isCutOff = true;
  await soon(() => readChips(page)).toEqual([bo]);
  await dropPath(page, notes);
  await press(page);
  return page;
}

test.each([
  ['a reload', (page: Page) => page.reload()],
  [
    'a page that offers it',
    async (page: Page) => {
      await visitor.go(page, `?to=${encodeURIComponent(anna)}`);
      const offer = page.locator('#other-draft');
      await offer.getByText(bo).waitFor();
      await offer.getByRole('link', { name: 'Open the draft' }).click();
    },
  ],
])('a draft of files alone goes to the receiver whom its page named, after %s', async (_what, leave) => {
  const page = await pressForNamed();
  visitor.network.isCutOff = false;
  await leave(page);
  await isSent(page);
  expect(await readSent()).toEqual([{ receivers: bo, files: 'notes.txt', message: '' }]);
});

test('what is added before the server knows the receiver whom the page names is kept with this receiver', async () => {
  visitor.network.isCutOff = true;
  visitor.network.handlers['receivers'] = () => new Promise(() => {});
  const page = await visitor.open(`?to=${encodeURIComponent(bo)}`);
  await dropPath(page, notes);
  await page.locator('[name=message]').fill('For Bo');
  await soon(() => readKeptDrafts(page)).toMatch(/For Bo.*notes\.txt/);
  await reloadComposer(page);
  await soon(() => readChips(page)).toEqual([bo]);
  expect(await readMessage(page)).toBe('For Bo');
});

/** Leaves the page no time for anything that it would do later. */
const stopTimers = (page: Page) =>
  page.evaluate(() => {
    const { setTimeout } = window;
    window.setTimeout = ((then: () => void, milliseconds = 0) =>
      milliseconds > 0 ? 0 : setTimeout(then)) as typeof setTimeout;
  });

test('"Send" counts even if the page is left at once', async () => {
  const page = await pressForAnna();
  await cancelButton(page).click();
  await cancelButton(page).waitFor({ state: 'detached' });
  await stopTimers(page);
  await press(page);
  visitor.network.isCutOff = false;
  await page.reload();
  await isSent(page);
  expect(await readSent()).toEqual([{ receivers: anna, files: 'notes.txt', message: 'For Anna' }]);
});

test('"Send" that was taken back stays so even if the page is left at once', async () => {
  const page = await pressForAnna();
  await soon(() => readKeptDrafts(page)).toContain('"pressed":"[');
  await stopTimers(page);
  await cancelButton(page).click();
  await cancelButton(page).waitFor({ state: 'detached' });
  visitor.network.isCutOff = false;
  await page.reload();
  await page.locator('.upload', { hasText: 'notes.txt' }).getByText('Ready').waitFor();
  expect(await readKeptDrafts(page)).toContain('"pressed":""');
  expect(await readSent()).toEqual([]);
});

test('a page that only names somebody leaves no draft', async () => {
  const page = await visitor.open(`?to=${encodeURIComponent(bo)}`);
  await soon(() => readChips(page)).toEqual([bo]);
  await visitor.go(page, `?to=${encodeURIComponent(anna)}`);
  await soon(() => readChips(page)).toEqual([anna]);
  expect(await page.locator('#other-draft').textContent()).toBe('');
});

test('a text from the Share menu is not lost to a draft, nor by a reload', async () => {
  const page = await visitor.open();
  await page.locator('[name=message]').fill('From yesterday');
  await soon(() => readKeptDrafts(page)).toContain('From yesterday');
  await page.goto('about:blank');
  await visitor.go(page, '#message=From%20the%20Share%20menu');
  await page.locator('#other-draft a').waitFor();
  expect(await readMessage(page)).toBe('From the Share menu');
  await soon(() => readKeptDrafts(page)).toContain('From the Share menu');
  await reloadComposer(page);
  expect(await readMessage(page)).toBe('From the Share menu');
});

test.each([
  ['a receiver', (page: Page) => name(page, bo)],
  ['the message', (page: Page) => page.locator('[name=message]').fill('Something else')],
  ['the code', (page: Page) => page.locator('[name=second_factor][value=mail]').check({ force: true })],
])('a change of %s takes "Send" back, and the page says so', async (_what, change) => {
  const page = await pressForAnna();
  await change(page);
  await page.getByRole('alert').filter({ hasText: 'Something has changed since you pressed Send.' }).waitFor();
  visitor.network.isCutOff = false;
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.locator('.upload', { hasText: 'notes.txt' }).getByText('Ready').waitFor();
  expect(await readSent()).toEqual([]);
  await send(page);
  await isSent(page);
  expect(await readSent()).toHaveLength(1);
});

/** Changes the first response to the form: it is lost after it was sent, or never comes. */
const spoilResponse = (how: 'lost' | 'never') =>
  visitor.context.addInitScript((what) => {
    const { fetch } = window;
    let isFirst = true;
    window.fetch = async (...[url, init]) => {
      if (!isFirst || !new Request(url).url.endsWith('/send')) return fetch(url, init);
      isFirst = false;
      if (what === 'lost') await fetch(url, init);
      else await new Promise((resolve) => init?.signal?.addEventListener('abort', resolve));
      throw new TypeError('no response');
    };
    if (what === 'lost') return;
    const timeout = AbortSignal.timeout.bind(AbortSignal);
    AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 10);
  }, how);

test('after a response that was lost, what has changed since is sent on request', async () => {
  await spoilResponse('lost');
  const page = await visitor.open();
  await name(page, anna);
  await page.locator('[name=message]').fill('The first');
  await send(page);
  await soon(readSent).toHaveLength(1);
  await page.locator('[name=message]').fill('The second');
  await send(page);
  await page.getByRole('alert').filter({ hasText: 'This form was sent already.' }).waitFor();
  await send(page);
  await isSent(page);
  expect((await readSent()).map(({ message }) => message)).toEqual(['The first', 'The second']);
});

test('a form whose response does not come is sent again', async () => {
  await spoilResponse('never');
  const page = await visitor.open();
  await name(page, anna);
  await page.locator('[name=message]').fill('Patience');
  await send(page);
  await isSent(page);
  expect(await readSent()).toHaveLength(1);
});

test('Backspace removes the last chip, whichever it is', async () => {
  const page = await visitor.open();
  await name(page, anna);
  await name(page, bo);
  const input = page.locator('#receiver-input');
  await input.fill('carl');
  await page.keyboard.press('Backspace');
  expect([await input.inputValue(), await readChips(page)]).toEqual(['car', [anna, bo]]);
  await page.keyboard.press('Home');
  await page.keyboard.press('Backspace');
  expect([await input.inputValue(), await readChips(page)]).toEqual(['car', [anna]]);
});

test('a refused address is explained at once, and corrected where it stands', async () => {
  const page = await visitor.open();
  await name(page, anna);
  await page.locator('#receiver-input').fill('jonas.berg@kunde');
  await page.keyboard.press('Enter');
  const field = page.locator('#receiver-fix-0');
  await page.getByText('After “@kunde” the ending is missing').waitFor();
  expect(await field.evaluate((element) => document.activeElement === element)).toBe(true);
  const bar = page.getByRole('link', { name: '1 address is not complete' });
  await bar.waitFor();
  await page.locator('[name=message]').fill('Hello');
  await bar.click();
  expect(await field.evaluate((element) => document.activeElement === element)).toBe(true);
  await field.fill('jonas.berg@kunde.example');
  await page.keyboard.press('Enter');
  await soon(() => readChips(page)).toEqual([anna, 'jonas.berg@kunde.example']);
  expect(await bar.count()).toBe(0);
});

test('only a near miss of a known address is pointed out, and put right with one press', async () => {
  await exchange.engines.store.contacts.replace(visitor.member.account.accountId, [
    { email: 'kim@northwind.example', name: 'Kim Park', phone: '', language: '', groups: [] },
  ]);
  const page = await visitor.open();
  await name(page, anna);
  await name(page, 'tomas@northwlnd.example');
  await page.locator('.near-miss').waitFor();
  expect(await page.locator('.near-miss').count()).toBe(1);
  await page.getByRole('button', { name: 'Use northwind.example' }).click();
  await soon(() => readChips(page)).toEqual([anna, 'tomas@northwind.example']);
  await soon(() => page.locator('.near-miss').count()).toBe(0);
});

test('each missing number is asked for with its person, and one who gets a mail instead stops nobody', async () => {
  const page = await visitor.open();
  await name(page, anna);
  await name(page, bo);
  await page.locator('[name=message]').fill('Hello');
  await page.locator('[name=second_factor][value=sms]').check({ force: true });
  await page.locator(`[name="phone:${bo}"]`).fill('+46 70 123 45 67');
  await send(page);
  await page.locator('.phone-field').getByText(`The mobile number of ${anna} is missing`).waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe(`phone:${anna}`);
  await page.getByRole('link', { name: '1 mobile number is needed' }).waitFor();
  await page.locator(`[name="code:${anna}"][value=mail]`).check({ force: true });
  expect(await page.locator('.phone-field .field-problem').count()).toBe(0);
  await send(page);
  await isSent(page);
  const links = await exchange.database.query<{ email: string; phone: string }>(
    'select email, phone from links where account_id = $1 order by email',
    [visitor.member.account.accountId],
  );
  expect(links).toEqual([
    { email: anna, phone: '' },
    { email: bo, phone: '46701234567' },
  ]);
});

test('a group whose members the server did not tell is not left out', async () => {
  await exchange.engines.store.contacts.replace(visitor.member.account.accountId, [
    { email: 'kim@example.org', name: 'Kim Park', phone: '46701234567', language: '', groups: ['Auditors'] },
  ]);
  const page = await visitor.open();
  visitor.network.handlers['receivers'] = (route) =>
    route.request().url().includes('group=') ? route.abort() : route.continue();
  await page.getByRole('combobox', { name: 'To' }).fill('Audit');
  await page.getByRole('option', { name: /Auditors/ }).click();
  await soon(() => page.locator('#receiver-fix-0').inputValue()).toBe('Auditors');
});
