/**
 * Checks that the edge caches a framework server's responses if their headers say so.
 *
 * @module
 */
import assert from "node:assert/strict";
import { until } from "../../src/lib/_test_until.ts";
import type { DeployedProject } from "./frameworks.ts";

/**
 * Checks that the edge caches a page for all visitors, and that browsers request the page each
 * time.
 */
export async function checkKept({ ask }: DeployedProject, path: string): Promise<void> {
  const visit = (name: string) => ask(path, { headers: { cookie: `visitor=${name}` } });
  const first = await visit("ann");
  assert.equal(first.status, 200, first.text);
  assert.equal(first.headers["x-svc-cache"], "MISS", JSON.stringify(first.headers));
  assert.equal(first.headers["cache-control"], "public, max-age=0, must-revalidate");
  const kept = await until(() => visit("bob"), ({ headers }) => headers["x-svc-cache"] === "HIT");
  assert.equal((await visit("cid")).text, kept.text);
}
