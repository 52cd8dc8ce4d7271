import type { Page } from 'playwright-core';

/** Where the focus is. */
export interface Stop {
  /** As it is read out. */
  readonly name: string;
  /** Whether a reader sees where they are. */
  readonly ring: boolean;
  /** Tab goes through the parts of a date before it goes on. */
  readonly again: boolean;
}

const NAME = `const nameOf = (element) => {
  const labels = element.labels ? [...element.labels].map((label) => label.textContent) : [];
  const text = element.getAttribute('aria-label') ?? (labels.join(' ') || element.textContent);
  return text.trim().replaceAll(/\\s+/g, ' ').slice(0, 60);
};`;

/**
 * What the Tab key has to reach inside of an element, in the order of the document: of a group of radio buttons
 * only the chosen one, or the first where none is.
 */
export const tabbableIn = (page: Page, within: string): Promise<string[]> =>
  page.evaluate(`(() => { ${NAME}
    const wanted = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
    const visible = (element) => element.checkVisibility() && element.type !== 'hidden' && !element.disabled;
    // What Enter presses in a form is there for nobody to see, hear or reach.
    const forNobody = (element) => element.ariaHidden === 'true' && element.tabIndex < 0;
    const all = [...document.querySelector('${within}').querySelectorAll(wanted)]
      .filter((element) => visible(element) && !forNobody(element));
    const chosen = (radio) => {
      const group = all.filter(({ type, name, form }) => type === 'radio' && name === radio.name && form === radio.form);
      return (group.find(({ checked }) => checked) ?? group[0]) === radio;
    };
    return all.filter((element) => element.type !== 'radio' || chosen(element)).map(nameOf);
  })()`);

const STOP = `(() => { ${NAME}
  const at = document.activeElement;
  if (!at || at === document.body) return null;
  const again = globalThis.wasAt === at;
  globalThis.wasAt = at;
  const { outlineStyle, outlineWidth } = getComputedStyle(at);
  return { name: nameOf(at), again, ring: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2 };
})()`;

const MOST = 200;

async function skipToContent(page: Page): Promise<void> {
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
}

/** From the top by the skip link into the content, and on with Tab until the page ends. */
export async function tabThrough(page: Page): Promise<Stop[]> {
  await skipToContent(page);
  const stops: Stop[] = [];
  while (stops.length < MOST) {
    await page.keyboard.press('Tab');
    const stop = (await page.evaluate(STOP)) as Stop | null;
    if (!stop) return stops;
    if (!stop.again) stops.push(stop);
  }
  throw new Error(`No end after ${MOST} stops.`);
}

/**
 * On with Tab until the focus is on what has this name. Throws where it never comes there.
 *
 * @param fromTop begins where the skip link leads
 */
export async function tabTo(page: Page, name: string, fromTop: boolean): Promise<void> {
  if (fromTop) await skipToContent(page);
  const passed: string[] = [];
  while (passed.length < MOST) {
    await page.keyboard.press('Tab');
    const stop = (await page.evaluate(STOP)) as Stop | null;
    if (stop?.name === name) return;
    if (!stop) break;
    passed.push(stop.name);
  }
  throw new Error(`${name} is not among ${passed.join(', ')}.`);
}
