import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** Returns the barriers for people that axe finds in the page as it is now, in light colours and in dark ones. */
export async function findBarriers(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Legacy: without a second page, which is needed only for frames of other sites.
    const axe = new AxeBuilder({ page }).setLegacyMode();
    // Only colours differ; these are the rules about them.
    if (colorScheme === 'dark') axe.withRules(['color-contrast', 'link-in-text-block']);
    const { violations } = await axe.analyze();
    found.push(...violations.map(({ id, nodes }) => `${colorScheme}, ${id}: ${nodes.map(({ html }) => html).join()}`));
  }
  return found;
}
