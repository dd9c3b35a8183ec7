import assert from "node:assert/strict";
import { ruleSchema } from "../rule_set/schema.ts";
import { type Action, ACTION_TYPES, definitionOf } from "./actions.ts";

/** An action of each type with as few fields as possible. */
const LEAST: Readonly<Record<Action["type"], Action>> = {
  allow: { type: "allow" },
  log: { type: "log" },
  deny: { type: "deny" },
  redirect: { type: "redirect", target: "/{a}" },
  rewrite: { type: "rewrite", target: "/{a}" },
  set_headers: { type: "set_headers", headers: { "X-A": "{a}" } },
  remove_headers: { type: "remove_headers", headers: ["X-A"] },
  cache: { type: "cache", ttlSeconds: 1 },
  bypass_cache: { type: "bypass_cache" },
  pipeline: { type: "pipeline", steps: [{ handle: "origin" }] },
  rate_limit: { type: "rate_limit", limit: 1, windowSeconds: 10 },
};

Deno.test("every action is accepted by its schema, and so is its normal form", () => {
  for (const type of ACTION_TYPES) {
    const { normalize } = definitionOf({ type });
    const normal = normalize(LEAST[type]);
    for (const action of [LEAST[type], normal]) {
      assert.deepEqual(ruleSchema.parse({ id: "r", action }).action, action);
    }
    assert.deepEqual(normalize(normal), normal, type);
  }
});

Deno.test("templates() lists the strings that can refer to captures", () => {
  const found = ACTION_TYPES.flatMap((type) => definitionOf({ type }).templates(LEAST[type]));
  assert.deepEqual(found, [
    { text: "/{a}", path: ["target"] },
    { text: "/{a}", path: ["target"] },
    { text: "{a}", path: ["headers", "X-A"] },
  ]);
});

Deno.test("only the expected actions end their phase, and deny does not in shadow mode", () => {
  const ending = (action: Action) => {
    const { endsPhase, normalize } = definitionOf(action);
    return endsPhase(normalize(action));
  };
  assert.deepEqual(
    ACTION_TYPES.filter((type) => ending(LEAST[type])),
    ["allow", "deny", "redirect", "rewrite", "cache", "bypass_cache", "pipeline"],
  );
  assert.equal(ending({ type: "deny", mode: "shadow" }), false);
});

Deno.test("set_headers warns if it sets a lifetime for failures", () => {
  const rows = [
    [{ "Cache-Control": "public, max-age=86400" }, true, ["lifetime_on_failure"]],
    [{ "CDN-Cache-Control": "s-maxage=31536000, immutable" }, true, ["lifetime_on_failure"]],
    [{ "Expires": "Thu, 26 Nov 2099 12:00:00 GMT" }, true, ["lifetime_on_failure"]],
    [{ "Cache-Control": "max-age=60" }, true, []],
    [{ "Expires": "0", "X-A": "1" }, true, []],
    [{ "Cache-Control": "max-age=86400" }, false, []],
    [{ "Cache-Control": "max-age=86400" }, undefined, []],
  ] as const;
  for (const [headers, onFailure, codes] of rows) {
    const action: Action = {
      type: "set_headers",
      headers,
      ...onFailure === undefined ? {} : { onFailure },
    };
    const found = [...definitionOf(action).warn?.(action, { path: [] } as never) ?? []];
    assert.deepEqual(found.map(({ code }) => code), codes);
  }
});
