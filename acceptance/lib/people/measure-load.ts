import type { Page } from 'playwright-core';
import { eventually } from '../wait.ts';
import type { Visitor } from './browser.ts';

const quietMs = 300;

export interface Load {
  /** Bytes of everything that was loaded, compressed as it came. */
  readonly bytes: number;
  readonly origins: ReadonlySet<string>;
  /** How far the page moved by itself, as browsers measure it. */
  readonly shift: number;
}

/** Loads a page, and measures its weight and how steady it is. */
export async function measureLoad({ context, page }: Visitor, show: (page: Page) => Promise<unknown>): Promise<Load> {
  await page.goto('about:blank');
  let bytes = 0;
  let changedAt = Date.now();
  const pending = new Set<string>();
  const origins = new Set<string>();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', ({ request, requestId, type }) => {
    origins.add(new URL(request.url).origin);
    changedAt = Date.now();
    // A stream of events never ends.
    if (type !== 'EventSource') pending.add(requestId);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    bytes += encodedDataLength;
    changedAt = Date.now();
    pending.delete(requestId);
  });
  session.on('Network.loadingFailed', ({ requestId }) => pending.delete(requestId));
  await page.addInitScript(() => {
    const shifts: { value: number; startTime: number }[] = [];
    Object.assign(window, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as unknown as { value: number; hadRecentInput: boolean };
        const { startTime } = entry;
        // A shift that follows a press is intended.
        if (!hadRecentInput) shifts.push({ value, startTime });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await show(page);
  await page.waitForLoadState();
  await eventually('a quiet network', async () => {
    return (pending.size === 0 && Date.now() - changedAt > quietMs) || undefined;
  });
  const shift = await page.evaluate(() => {
    const seen = window as unknown as { shifts: { value: number; startTime: number }[]; chosenAt?: number };
    return seen.shifts
      .filter(({ startTime }) => startTime > (seen.chosenAt ?? 0))
      .reduce((sum, { value }) => sum + value, 0);
  });
  return { bytes, origins, shift };
}
