import type { Locator, Page } from 'playwright-core';

/** How a person uses a page. Each call is one interaction. */
export interface InputMethod {
  press(target: Locator): Promise<void>;
  type(target: Locator, text: string): Promise<void>;
  choose(target: Locator, paths: readonly string[]): Promise<void>;
}

/** Counts the interactions of another input. */
export class CountingInput implements InputMethod {
  readonly #input: InputMethod;
  count = 0;

  constructor(input: InputMethod) {
    this.#input = input;
  }

  press(...args: Parameters<InputMethod['press']>): Promise<void> {
    this.count += 1;
    return this.#input.press(...args);
  }

  type(...args: Parameters<InputMethod['type']>): Promise<void> {
    this.count += 1;
    return this.#input.type(...args);
  }

  choose(...args: Parameters<InputMethod['choose']>): Promise<void> {
    this.count += 1;
    return this.#input.choose(...args);
  }
}

/** With a mouse, or on a touch screen with a finger. */
export function pointer(page: Page, how: 'click' | 'tap'): InputMethod {
  const press = (target: Locator) => target[how]();
  return { press, type: (target, text) => target.fill(text), choose: openChooser(page, press) };
}

/** With the keyboard alone: every element is reached by Tab. */
export function keyboard(page: Page): InputMethod {
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
export function plain(): InputMethod {
  return {
    press: (target) => target.click(),
    type: (target, text) => target.fill(text),
    choose: (target, paths) => target.setInputFiles([...paths]),
  };
}

function openChooser(page: Page, press: InputMethod['press']): InputMethod['choose'] {
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
