/**
 * Measures a page's first load, and its content without JavaScript.
 *
 * @module
 */
import type { Browser, BrowserContext, Page } from "playwright-core";

/** Maximum number of bytes that are transferred for a page and everything that it loads. */
export const MOST_BYTES = 100_000;

/**
 * Minimum fraction of a page's text that must be there without scripts. It is below 1 because,
 * without scripts, the overview shows a link instead of the day's statistics.
 */
const LEAST_SHARE = 0.8;

async function shownBy(page: Page) {
  const titles = await page.locator("h1, h2").allInnerTexts();
  const text = await page.locator("body").innerText();
  return { titles, characters: text.length };
}

/** Opens pages with and without JavaScript, as a browser with an empty cache does. */
export class PageScales {
  #sizes: Promise<readonly [path: string, bytes: number]>[] = [];

  readonly #scripted: Page;
  readonly #plain: Page;

  private constructor(scripted: Page, plain: Page) {
    this.#scripted = scripted;
    this.#plain = plain;
    scripted.on("requestfinished", (request) =>
      void this.#sizes.push(
        request.sizes().then(({ responseBodySize }) =>
          [new URL(request.url()).pathname, responseBodySize] as const
        ),
      ));
  }

  static async open(
    browser: Browser,
    signIn: (context: BrowserContext) => Promise<Page>,
  ): Promise<PageScales> {
    const scripted = await signIn(await browser.newContext());
    const protocol = await scripted.context().newCDPSession(scripted);
    await protocol.send("Network.setCacheDisabled", { cacheDisabled: true });
    return new PageScales(
      scripted,
      await signIn(await browser.newContext({ javaScriptEnabled: false })),
    );
  }

  /** Measures a page's size, and compares the content with and without scripts. */
  async weigh(url: string): Promise<{ readonly bytes: number; readonly faults: string[] }> {
    this.#sizes = [];
    await this.#scripted.goto(url);
    await this.#plain.goto(url);
    const [shown, left] = [await shownBy(this.#scripted), await shownBy(this.#plain)];
    const sizes = await Promise.all(this.#sizes);
    const bytes = sizes.reduce((sum, [, size]) => sum + size, 0);
    const faults = shown.titles.filter((title) => !left.titles.includes(title))
      .map((title) => `has no "${title}" without JavaScript`);
    if (bytes > MOST_BYTES) {
      const parts = sizes.map(([path, size]) => `${path} ${size}`).join(", ");
      faults.push(`is too large, with ${bytes} bytes: ${parts}`);
    }
    if (left.characters < LEAST_SHARE * shown.characters) {
      faults.push(
        `shows only ${left.characters} of ${shown.characters} characters without JavaScript`,
      );
    }
    return { bytes, faults };
  }
}
