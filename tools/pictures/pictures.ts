/**
 * Draws the PNGs in docs/images anew, from the pages and mails of the current program.
 *
 *   npm run pictures [-- NAME...]
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { printPages } from '../../server/src/engines/pdf/print-pages.ts';
import { receiptPages } from '../../server/src/present/receipt/receipt-pages.ts';
import { createTranslators } from '../../server/src/present/texts/translator.ts';
import { plainOperator } from '../../server/test/plain-operator.ts';
import { beginDelivery, handOver, tell, toFiles } from '../../server/test/receipts.ts';
import { openStage, type Stage } from '../gallery/open-stage.ts';
import { plays } from '../gallery/stage.ts';
import { launchBrowser } from '../shared/browser.ts';
import { type DrawnPicture, drawnPictures } from './list.ts';

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const desktop = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };
/** Pixels of the picture per pixel of the page: sharp on dense screens, and a file of at most a few hundred kB. */
const scale = 1.5;

interface Shot {
  readonly state: string;
  /** The last step of the play that is shown. */
  readonly step?: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  /** Whether all of the page is shown, however long it is. */
  readonly isWhole?: boolean;
}

class Painter {
  readonly #browser: Browser;
  readonly #stages = new Map<boolean, Promise<Stage>>();

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async photograph(
    { state, step, viewport, colorScheme = 'light', isWhole }: Shot,
    isBranded = false,
  ): Promise<Buffer> {
    const opening = this.#stages.get(isBranded) ?? openStage('en', isBranded);
    this.#stages.set(isBranded, opening);
    const { origin } = await opening;
    return this.#withPage({ viewport, colorScheme }, async (page) => {
      await page.goto(`${origin}/${state}`);
      for (const [name, act] of step === undefined ? [] : (plays[state] ?? [])) {
        await act(page);
        if (name === step) break;
      }
      await page.evaluate('scrollTo(0, 0)');
      return page.screenshot({ fullPage: isWhole ?? false });
    });
  }

  /** Arranges pictures on a sheet. */
  async compose(width: number, html: string): Promise<Buffer> {
    return this.#withPage({ viewport: { width, height: 100 }, colorScheme: 'light' }, async (page) => {
      await page.setContent(html);
      return page.screenshot({ fullPage: true });
    });
  }

  async close(): Promise<void> {
    for (const stage of this.#stages.values()) (await stage).close();
  }

  async #withPage(
    options: { viewport: Shot['viewport']; colorScheme: 'light' | 'dark' },
    draw: (page: Page) => Promise<Buffer>,
  ): Promise<Buffer> {
    // A phone has no bar for scrolling beside the page.
    const isMobile = options.viewport.width === phone.width;
    const context = await this.#browser.newContext({
      ...options,
      deviceScaleFactor: scale,
      isMobile,
      hasTouch: isMobile,
      reducedMotion: 'reduce',
    });
    try {
      return await draw(await context.newPage());
    } finally {
      await context.close();
    }
  }
}

const toImage = (image: Buffer) => `<img src="data:image/png;base64,${image.toString('base64')}" alt="">`;
const style = `<style>
body { margin: 0; background: #e9e6df; color: #182126; font: 600 17px system-ui, sans-serif }
img { display: block; width: 100%; border-radius: 10px; box-shadow: 0 1px 3px rgb(24 33 38 / 20%), 0 18px 44px -16px rgb(24 33 38 / 40%) }
</style>`;

/** The receiver's phone stands in front of the lower right corner of the sender's desktop. */
async function drawHero(painter: Painter): Promise<Buffer> {
  const wide = await painter.photograph({ state: 'app-delivery', viewport: desktop });
  const narrow = await painter.photograph({ state: 'download-some', viewport: phone });
  return painter.compose(
    1280,
    `<!doctype html>${style}<style>
    body { position: relative; height: 730px }
    div { position: absolute }
    .wide { left: 36px; top: 36px; width: 1050px }
    .narrow { right: 36px; bottom: 28px; width: 262px }
    .narrow img { border-radius: 26px; outline: 7px solid #182126 }
    </style><div class="wide">${toImage(wide)}</div><div class="narrow">${toImage(narrow)}</div>`,
  );
}

async function drawBranding(painter: Painter): Promise<Buffer> {
  const viewport = { width: 390, height: 640 };
  const columns = await Promise.all(
    [false, true].map(async (isBranded) => {
      const landing = await painter.photograph({ state: 'landing-download', viewport }, isBranded);
      const mail = await painter.photograph({ state: 'mail-drop', viewport }, isBranded);
      const caption = isBranded ? 'With your name, colour and logo' : 'Without settings';
      return `<figure><figcaption>${caption}</figcaption><div>${toImage(landing)}${toImage(mail)}</div></figure>`;
    }),
  );
  return painter.compose(
    1280,
    `<!doctype html>${style}<style>
    body { display: flex; gap: 36px; padding: 28px; width: 1224px }
    figure { flex: 1; margin: 0 }
    figcaption { padding-bottom: 16px; text-align: center }
    figure div { display: flex; gap: 18px }
    img { width: 0; flex: 1; min-width: 0; height: max-content }
    </style>${columns.join('')}`,
  );
}

/** The first page of a receipt, drawn by poppler as readers of PDF do, on a desk. */
async function drawReceipt(painter: Painter): Promise<Buffer> {
  const files = toFiles('Contract.pdf', 'Annex A – prices 2026.xlsx', 'Photos/Site visit.jpg').map((file) => ({
    ...file,
    sha256: createHash('sha256').update(file.name).digest('hex'),
  }));
  const opened = [tell(12, 'link.opened', {}), tell(13, 'code.entered', { channel: 'sms' })];
  const pages = receiptPages(createTranslators({ fallback: 'en' }).for('en', 'UTC'), plainOperator, {
    events: [...beginDelivery(files, { code: 'sms' }), ...opened, ...handOver(14, files)],
    issuedAt: new Date('2026-11-18T10:00:00.000Z'),
    log: { origin: 'files.example.org/log/1', size: 48_213 },
    publicUrl: 'https://files.example.org',
  });
  const pdf = await printPages(pages, []);
  const drawn = execFileSync('pdftoppm', ['-png', '-r', '110', '-singlefile', '-'], { input: pdf, maxBuffer: 2 ** 24 });
  return painter.compose(
    720,
    `<!doctype html>${style}<style>body { padding: 36px } img { border-radius: 3px }</style>${toImage(drawn)}`,
  );
}

const sheet = { width: 1080, height: 600 };

/** Draws a sheet of components in their states. */
function drawComponents(painter: Painter, name: string): Promise<Buffer> {
  return painter.photograph({ state: `component-${name}-ltr`, viewport: sheet, isWhole: true });
}

const drawings: Readonly<Record<Exclude<DrawnPicture, 'delivery.png'>, (painter: Painter) => Promise<Buffer>>> = {
  'design-lists.png': (painter) => painter.photograph({ state: 'app-components', step: 'menu', viewport: desktop }),
  'design-phone-dark.png': (painter) =>
    painter.photograph({ state: 'app-sent-selected', viewport: phone, colorScheme: 'dark' }),
  'branding.png': drawBranding,
  'code-phone-dark.png': (painter) =>
    painter.photograph({ state: 'code-sms', viewport: phone, colorScheme: 'dark', isWhole: true }),
  'contact-phone-light.png': (painter) =>
    painter.photograph({ state: 'upload-island', step: 'ready', viewport: phone }),
  'contact.png': (painter) => painter.photograph({ state: 'upload-island', step: 'ready', viewport: desktop }),
  'design-choices.png': (painter) => drawComponents(painter, 'choices'),
  'design-composer.png': (painter) => drawComponents(painter, 'composer'),
  'design-frame.png': (painter) => drawComponents(painter, 'app-frame'),
  'design-setting.png': (painter) => drawComponents(painter, 'setting'),
  'design-tokens.png': (painter) => drawComponents(painter, 'tokens'),
  'hero.png': drawHero,
  'mail.png': (painter) =>
    painter.photograph({ state: 'mail-drop', viewport: { width: 720, height: 400 }, isWhole: true }),
  'people-contacts.png': (painter) =>
    painter.photograph({ state: 'app-contacts', viewport: { width: 1280, height: 560 } }),
  'people-delivery.png': (painter) => painter.photograph({ state: 'app-delivery', viewport: desktop }),
  'people-enrolment.png': (painter) => painter.photograph({ state: 'enrolment', viewport: phone, isWhole: true }),
  'people-inbox.png': (painter) => painter.photograph({ state: 'app-inbox-entry', viewport: desktop }),
  'people-members.png': (painter) =>
    painter.photograph({ state: 'settings-account', viewport: { width: 1280, height: 960 } }),
  'people-public.png': (painter) => painter.photograph({ state: 'public-page', viewport: phone, isWhole: true }),
  'people-request.png': (painter) => painter.photograph({ state: 'app-request', viewport: desktop }),
  'people-send.png': (painter) =>
    painter.photograph({ state: 'app-send-filled', viewport: { width: 1280, height: 1000 } }),
  'people-settings.png': (painter) => painter.photograph({ state: 'settings-person', viewport: desktop }),
  'receipt.png': drawReceipt,
  'receiver.png': (painter) => painter.photograph({ state: 'download-sixty-begun', viewport: desktop }),
  'reference.png': (painter) => painter.photograph({ state: 'reference', viewport: desktop }),
};

const { positionals } = parseArgs({ allowPositionals: true });
const all = Object.keys(drawnPictures) as DrawnPicture[];
const chosen = positionals.length === 0 ? all : positionals.map((name) => `${name}.png` as DrawnPicture);
const unknown = chosen.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(', ')}. The pictures are ${all.join(', ')}.\n`);
  process.exit(2);
}

const browser = await launchBrowser();
const painter = new Painter(browser);
try {
  for (const name of chosen) {
    if (name === 'delivery.png') {
      execFileSync(process.execPath, [fileURLToPath(new URL('delivery.ts', import.meta.url))], { stdio: 'inherit' });
    } else {
      writeFileSync(`${images}${name}`, await drawings[name](painter));
    }
    process.stdout.write(`docs/images/${name} drawn\n`);
  }
} finally {
  await painter.close();
  await browser.close();
}
