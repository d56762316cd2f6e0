import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Builder, By, Capabilities } from 'selenium-webdriver';
import { closedPort } from '../../tools/shared/tcp.ts';
import { eventually } from '../lib/wait.ts';
import { fileField, pressable, type StartVisitor, textField } from './visitor.ts';

const miniBrowser = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

export const startWebKit: StartVisitor = async ({ scripts, downloads }) => {
  await using stack = new AsyncDisposableStack();
  const server = await startDriver(stack, downloads);
  const browserOptions = {
    binary: miniBrowser,
    args: ['--automation', '--full-screen', `--enable-javascript=${scripts}`],
  };
  const driver = await new Builder()
    .usingServer(server)
    .withCapabilities(new Capabilities({ browserName: 'MiniBrowser', 'webkitgtk:browserOptions': browserOptions }))
    .build();
  stack.defer(() => driver.quit());
  const started = stack.move();
  return {
    open: (url) => driver.get(url),
    press: (text) => driver.findElement(By.xpath(pressable(text))).click(),
    type: (text) => driver.findElement(By.css(textField)).sendKeys(text),
    fill: (selector, text) => driver.findElement(By.css(selector)).sendKeys(text),
    choose: (paths) => driver.findElement(By.css(fileField)).sendKeys(paths.join('\n')),
    resize: async (width, height) => void (await driver.manage().window().setRect({ width, height })),
    evaluate: (expression) => driver.executeScript(`return ${expression}`),
    screenshot: async () => Buffer.from(await driver.takeScreenshot(), 'base64'),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
};

/** Starts WebKitGTK's driver, with its own screen, session bus and home. */
async function startDriver(stack: AsyncDisposableStack, downloads: string): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'waybill-webkit-'));
  stack.defer(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));
  const config = join(home, '.config');
  mkdirSync(join(config, 'gtk-3.0'), { recursive: true });
  writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  // Otherwise the parts around the page keep the window wider than a small phone.
  writeFileSync(join(config, 'gtk-3.0', 'gtk.css'), '* { font-size: 1px; min-width: 0; padding: 0; }');

  const port = await closedPort();
  const child = spawn('xvfb-run', ['-a', 'dbus-run-session', 'WebKitWebDriver', `--port=${port}`], {
    // A process group, because xvfb-run does not pass signals on.
    detached: true,
    stdio: 'ignore',
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: config, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' },
  });
  const exited = once(child, 'exit');
  stack.defer(async () => {
    if (child.pid !== undefined) process.kill(-child.pid);
    await exited;
  });
  const server = `http://127.0.0.1:${port}`;
  await eventually('WebKitWebDriver', () => fetch(`${server}/status`).catch(() => undefined));
  return server;
}
