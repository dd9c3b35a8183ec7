/** @module Helpers that test imported rules by their effect on requests. */
import assert from "node:assert/strict";
import { compileRules } from "../compile/compile_rules.ts";
import { loadRulesToml } from "../document/parse_rules.ts";
import { evaluateRules } from "../evaluate/evaluate_rules.ts";
import { type DescribedRequest, factsFromRequest } from "../request/facts.ts";
import type { ImportResult } from "./import_result.ts";

/** Returns the outcome of a request: `301 /x` for a redirect, `/x` for a rewrite, or "-". */
export function leads(
  result: ImportResult,
  request: DescribedRequest | string,
  hasFile = false,
): string {
  const { runtime, diagnostics } = loadRulesToml(result.toml);
  assert.ok(runtime !== undefined, JSON.stringify(diagnostics));
  const facts = factsFromRequest(typeof request === "string" ? { url: request } : request);
  assert.ok(!("rejected" in facts));
  const { terminal, rewrite } = evaluateRules(compileRules(runtime), facts, {
    fileExists: () => hasFile,
    rateLimited: () => false,
  });
  if (terminal.type === "redirect") return `${terminal.status} ${terminal.location}`;
  if (rewrite === undefined) return "-";
  if (rewrite.type === "external") return rewrite.url;
  return rewrite.query === "" ? rewrite.path : `${rewrite.path}?${rewrite.query}`;
}

/** Returns the headers that are added to the response to a request. */
export function headersAt(result: ImportResult, url: string): Record<string, string> {
  const { runtime } = loadRulesToml(result.toml);
  const facts = factsFromRequest({ url });
  assert.ok(runtime !== undefined && !("rejected" in facts));
  const { headerEdits } = evaluateRules(compileRules(runtime), facts, {
    fileExists: () => false,
    rateLimited: () => false,
  });
  return Object.fromEntries(
    headerEdits.map((edit) => [edit.name, edit.type === "set" ? edit.value : "(removed)"]),
  );
}

/**
 * Returns how the edge caches the response to a request: its lifetimes, "bypass", or undefined if
 * no rule applies.
 */
export function cachedFor(result: ImportResult, url: string) {
  const { runtime } = loadRulesToml(result.toml);
  const facts = factsFromRequest({ url });
  assert.ok(runtime !== undefined && !("rejected" in facts));
  const { cache } = evaluateRules(compileRules(runtime), facts, {
    fileExists: () => false,
    rateLimited: () => false,
  });
  if (cache === undefined || cache.type === "bypass") return cache?.type;
  return { ttlSeconds: cache.ttlSeconds, swrSeconds: cache.swrSeconds };
}
