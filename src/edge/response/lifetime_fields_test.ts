import assert from "node:assert/strict";
import type { HeaderEdit } from "../../rules/mod.ts";
import type { HeaderList } from "../messages/header_list.ts";
import { applyHeaderEdits } from "./edge_response.ts";

const set = (name: string, value: string): HeaderEdit => ({ type: "set", name, value });
const FAILURE: readonly (readonly [edit: HeaderEdit, applies: boolean])[] = [
  [set("Cache-Control", "public, max-age=31536000, immutable"), false],
  [set("cache-control", "s-maxage=60"), false],
  [set("cache-control", 'max-age="60"'), false],
  [set("cache-control", "immutable"), false],
  [set("cache-control", "max-age=0, stale-while-revalidate=60"), false],
  [set("CDN-Cache-Control", "max-age=60"), false],
  [set("SVC-CDN-Cache-Control", "max-age=60"), false],
  [set("Surrogate-Control", "max-age=60"), false],
  [set("Expires", "Thu, 26 Nov 2099 12:00:00 GMT"), false],
  [{ type: "remove", name: "Cache-Control" }, false],
  [set("cache-control", "no-store"), true],
  [set("cache-control", "no-cache, max-age=60"), true],
  [set("cache-control", "public, max-age=0, must-revalidate"), true],
  [set("cache-control", "private"), true],
  [set("expires", "0"), true],
  [set("x-frame-options", "DENY"), true],
];

Deno.test("applyHeaderEdits() never gives a failure a lifetime", () => {
  const headers: HeaderList = [["cache-control", "no-store, max-age=1"]];
  for (const [edit, applies] of FAILURE) {
    for (const status of [404, 410, 500, 503]) {
      const edited = applyHeaderEdits({ status, headers }, [edit]);
      assert.equal(JSON.stringify(edited) !== JSON.stringify(headers), applies, edit.name);
    }
    for (const status of [200, 206, 304, 301]) {
      const edited = applyHeaderEdits({ status, headers }, [edit]);
      assert.notDeepEqual(edited, headers, edit.name);
    }
  }
});

Deno.test("applyHeaderEdits() gives a failure a lifetime if the edit has onFailure", () => {
  const edit: HeaderEdit = {
    type: "set",
    name: "cache-control",
    value: "max-age=60",
    onFailure: true,
  };
  assert.deepEqual(applyHeaderEdits({ status: 404, headers: [] }, [edit]), [
    ["cache-control", "max-age=60"],
  ]);
});
