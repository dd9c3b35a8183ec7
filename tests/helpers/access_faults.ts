/**
 * Finds WCAG 2.2 AA violations on a page with axe.
 *
 * @module
 */
import axe from "axe-core";
import type { Page } from "playwright-core";

/** Returns the rules that a page violates, each with the elements that violate it. */
export async function accessFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: typeof axe }).axe.run;
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
    const { violations } = await run({ runOnly: { type: "tag", values: tags } });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`);
  });
}
