import type { Locator, Page } from 'playwright-core';

/** How a person uses a page. Each call is one interaction. */
export interface Hand {
  press(target: Locator): Promise<void>;
  type(target: Locator, text: string): Promise<void>;
  choose(target: Locator, paths: readonly string[]): Promise<void>;
}

/** Counts the interactions of another hand. */
export class CountingHand implements Hand {
  readonly #hand: Hand;
  count = 0;

  constructor(hand: Hand) {
    this.#hand = hand;
  }

  press(...args: Parameters<Hand['press']>): Promise<void> {
    this.count += 1;
    return this.#hand.press(...args);
  }

  type(...args: Parameters<Hand['type']>): Promise<void> {
    this.count += 1;
    return this.#hand.type(...args);
  }

  choose(...args: Parameters<Hand['choose']>): Promise<void> {
    this.count += 1;
    return this.#hand.choose(...args);
  }
}

/** With a mouse, or on a touch screen with a finger. */
export function pointer(page: Page, how: 'click' | 'tap'): Hand {
  const press = (target: Locator) => target[how]();
  return { press, type: (target, text) => target.fill(text), choose: openChooser(page, press) };
}

/** With the keyboard alone: every element is reached by Tab. */
export function keyboard(page: Page): Hand {
  const press = async (target: Locator) => {
    await reach(page, target);
    await page.keyboard.press('Enter');
  };
  return {
    press,
    async type(target, text) {
      await reach(page, target);
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
    },
    choose: openChooser(page, press),
  };
}

/** Without scripts, where the browser's own field for files is on the page. */
export function plain(): Hand {
  return {
    press: (target) => target.click(),
    type: (target, text) => target.fill(text),
    choose: (target, paths) => target.setInputFiles([...paths]),
  };
}

function openChooser(page: Page, press: Hand['press']): Hand['choose'] {
  return async (target, paths) => {
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), press(target)]);
    await chooser.setFiles([...paths]);
  };
}

const mostSteps = 120;

async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let step = 0; step < mostSteps; step += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${target.toString()} cannot be reached with the keyboard`);
}
