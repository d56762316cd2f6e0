import { type LaunchOptions, launch } from 'puppeteer-core';
import { debianChromium as chromium } from '../../tools/shared/browser.ts';
import { fileField, pressable, type StartVisitor, textField, type Visitor } from './visitor.ts';

export const startChromium: StartVisitor = ({ scripts, downloads }) =>
  start({
    browser: 'chrome',
    // With its windows, unlike in the other tests.
    executablePath: '/usr/bin/chromium',
    args: [...chromium.args, ...(scripts ? [] : ['--blink-settings=scriptEnabled=false'])],
    downloadBehavior: { policy: 'allow', downloadPath: downloads },
  });

export const startFirefox: StartVisitor = ({ scripts, downloads }) =>
  start({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    extraPrefsFirefox: {
      'javascript.enabled': scripts,
      'browser.download.folderList': 2,
      'browser.download.dir': downloads,
    },
  });

async function start(options: LaunchOptions): Promise<Visitor> {
  const browser = await launch({ ...options, defaultViewport: { width: 1024, height: 768 } });
  const page = await browser.newPage();
  const field = async (selector: string) => {
    const found = await page.$(selector);
    if (found === null) throw new Error(`no ${selector} on the page`);
    return await found.toElement('input');
  };
  return {
    open: async (url) => void (await page.goto(url)),
    // Without scripts, puppeteer's own click waits forever: it relies on callbacks in the page.
    async press(text) {
      const { x, y } = await page.evaluate(findMiddle, pressable(text));
      await page.mouse.click(x, y);
    },
    type: async (text) => (await field(textField)).type(text),
    fill: async (selector, text) => page.type(selector, text),
    choose: async (paths) => (await field(fileField)).uploadFile(...paths),
    resize: (width, height) => page.setViewport({ width, height }),
    evaluate: (expression) => page.evaluate(expression) as Promise<never>,
    screenshot: () => page.screenshot(),
    [Symbol.asyncDispose]: () => browser.close(),
  };
}

/** Runs in the page, and brings the element into view. */
function findMiddle(xpath: string): { x: number; y: number } {
  const found = document.evaluate(xpath, document, null, XPathResult.FIRST_ORDERED_NODE_TYPE).singleNodeValue;
  if (!(found instanceof Element)) throw new Error(`no ${xpath} on the page`);
  found.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { x, y, width, height } = found.getBoundingClientRect();
  return { x: x + width / 2, y: y + height / 2 };
}
