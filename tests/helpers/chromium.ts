/**
 * Debian's Chromium, driven by Playwright.
 *
 * @module
 */
import { join } from "node:path";
import { type Browser, chromium, type ConsoleMessage, type Page } from "playwright-core";

/** The browser program; `undefined` if none is installed. */
export const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
  .find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });

/** Folder for screenshots, which remain there after a run. */
export const SHOTS = join(Deno.env.get("TMPDIR") ?? "/tmp", "svc-screenshots");

/**
 * Options for a test that uses the browser. The browser's pipes stay open until the process exits.
 */
export const BROWSER_TEST = {
  ignore: CHROMIUM === undefined,
  sanitizeOps: false,
  sanitizeResources: false,
} as const;

/** Starts the browser for a test and closes it afterwards. */
export async function withChromium<T>(
  test: (browser: Browser) => Promise<T>,
  moreArguments: readonly string[] = [],
): Promise<T> {
  await Deno.mkdir(SHOTS, { recursive: true });
  const browser = await chromium.launch({
    executablePath: CHROMIUM!,
    args: ["--no-sandbox", "--disable-gpu", ...moreArguments],
  });
  try {
    return await test(browser);
  } finally {
    await browser.close();
  }
}

/** Collects a page's problems: console messages, errors, and failed requests. */
export function hearComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (line: ConsoleMessage) => {
    if (line.type() === "error" || line.type() === "warning") complaints.push(line.text());
  });
  page.on("pageerror", (error: Error) => complaints.push(error.message));
  page.on("requestfailed", (request) => {
    // The browser cancels a page's pending loads when it navigates away.
    if (request.failure()?.errorText === "net::ERR_ABORTED") return;
    complaints.push(`failed: ${request.url()}`);
  });
  return complaints;
}
