/**
 * Draws docs/images/delivery.png: a whole delivery, from the sender's terminal to the receiver's mail and page and the
 * sender's receipt, with a demo that it starts and stops.
 *
 *   npm run pictures -- delivery
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import PostalMime, { type Email } from 'postal-mime';
import { demoEnvironment, projectDir, waybilld } from '../demo/environment.ts';
import { launchBrowser } from '../shared/browser.ts';

const run = promisify(execFile);
const command = `${projectDir}/client/dist/command/main.js`;
const receiver = 'kim@northwind.example';
const phone = { width: 400, height: 880 };
const mailWithinMs = 60_000;
const began = Date.now();

interface Demo {
  base_url: string;
  accounts: [{ user: string; api_key: string }];
  mail_dir: string;
}

async function startDemo(): Promise<{ demo: Demo; process: ChildProcess }> {
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', `${projectDir}/tools/demo/demo`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, WAYBILL_OPERATOR_NAME: 'Acme Files' },
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) return { demo: JSON.parse(line) as Demo, process: child };
  }
  throw new Error('the demo did not start');
}

/** Sends the files; returns the sender's terminal. */
async function send({ base_url, accounts: [account] }: Demo): Promise<string> {
  await run(
    process.execPath,
    [waybilld, 'admin', 'accounts', 'set', '--email', account.user, '--name', 'Acme Plant 2'],
    {
      env: { ...process.env, ...demoEnvironment() },
    },
  );
  const folder = mkdtempSync(join(tmpdir(), 'waybill-delivery-'));
  writeFileSync(join(folder, 'inspection-2291.pdf'), Buffer.alloc(184_320, 'a'));
  writeFileSync(join(folder, 'measurements.xlsx'), Buffer.alloc(52_111, 'b'));
  const translator = [
    'send',
    'inspection-2291.pdf',
    'measurements.xlsx',
    '--to',
    receiver,
    '-m',
    'The report you asked for.',
  ];
  const { stdout } = await run(process.execPath, [command, ...translator], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      WAYBILL_URL: base_url,
      WAYBILL_USER: account.user,
      WAYBILL_API_KEY: account.api_key,
    },
  });
  rmSync(folder, { recursive: true });
  return `$ waybill send inspection-2291.pdf measurements.xlsx \\\n    --to ${receiver} -m 'The report you asked for.'\n${stdout}`;
}

async function mailTo({ mail_dir }: Demo, address: string): Promise<Email> {
  for (const deadline = Date.now() + mailWithinMs; Date.now() < deadline; await pause(250)) {
    for (const name of readdirSync(mail_dir)) {
      const path = join(mail_dir, name);
      // Mails of an earlier demo may still be there.
      if (statSync(path).mtimeMs < began) continue;
      const raw = readFileSync(path);
      if (!new RegExp(`^(?:X-Original-To|Delivered-To): <?${address}`, 'im').test(raw.toString('latin1'))) continue;
      return PostalMime.parse(raw);
    }
  }
  throw new Error(`no mail to ${address}`);
}

async function photograph(browser: Browser, show: (page: Page) => Promise<void>, tall = false): Promise<string> {
  const device = { viewport: phone, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
  const page = await browser.newPage({ ...device, reducedMotion: 'reduce' });
  await show(page);
  const image = await page.screenshot({ fullPage: tall });
  await page.close();
  return `data:image/png;base64,${image.toString('base64')}`;
}

const photographMail = (browser: Browser, { html = '' }: Email) => photograph(browser, (page) => page.setContent(html));

/** As the receiver, who opens the link and downloads everything. */
function receive(browser: Browser, mail: Email, { base_url }: Demo): Promise<string> {
  const [address] = new RegExp(`${base_url}/d/[\\w-]+`).exec(mail.text ?? '') ?? [];
  return photograph(browser, async (page) => {
    await page.goto(address ?? '');
    await page.getByRole('button', { name: 'View files' }).click();
    for (const link of await page.locator('.files a[download]').all()) {
      const download = page.waitForEvent('download');
      await link.click();
      await (await download).path();
    }
    await page.reload();
    // A browser goes back to where it was on the page.
    await page.evaluate('scrollTo(0, 0)');
  });
}

const escape = (text: string) => text.replace(/[&<>]/g, (character) => `&#${character.codePointAt(0)};`);

function sheet(terminal: string, panels: readonly [caption: string, image: string][]): string {
  const figures = panels.map(
    ([caption, image]) => `<figure><img src="${image}"><figcaption>${caption}</figcaption></figure>`,
  );
  return `<!doctype html><style>
body { margin: 0; padding: 28px; width: 1224px; background: #f4f2ed; color: #182126; font: 600 17px system-ui, sans-serif }
pre { margin: 0 0 24px; padding: 20px 24px; border-radius: 12px; background: #11171a; color: #e9edec; font: 16px/1.5 monospace }
div { display: flex; gap: 24px }
figure { margin: 0; flex: 1 }
img { display: block; width: 100%; border-radius: 12px; box-shadow: 0 8px 28px -10px rgb(24 33 38 / 30%) }
figcaption { padding-top: 12px; text-align: center }
</style><pre>${escape(terminal)}</pre><div>${figures.join('')}</div>`;
}

const { demo, process: demoProcess } = await startDemo();
const browser = await launchBrowser();
try {
  const terminal = await send(demo);
  const mail = await mailTo(demo, receiver);
  const mailImage = await photographMail(browser, mail);
  const pageImage = await receive(browser, mail, demo);
  const receiptImage = await photographMail(browser, await mailTo(demo, demo.accounts[0].user));
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.setContent(
    sheet(terminal, [
      ['The receiver’s mail', mailImage],
      ['Their page', pageImage],
      ['Your receipt', receiptImage],
    ]),
  );
  await page.screenshot({ path: `${projectDir}/docs/images/delivery.png`, fullPage: true });
} finally {
  await browser.close();
  const ended = once(demoProcess, 'exit');
  demoProcess.kill('SIGTERM');
  await ended;
}
