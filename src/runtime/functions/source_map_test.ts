import assert from "node:assert/strict";
import { readInlineMap, StackMapper, withoutInlineMap } from "./source_map.ts";

const map = { version: 3, sources: ["functions/a.ts"], names: [], mappings: "AAAA;AAEE,SAAS" };

const bundle = (json: unknown): string =>
  `one\ntwo\n//# sourceMappingURL=data:application/json;base64,${btoa(JSON.stringify(json))}\n`;

Deno.test("StackMapper maps frames to the author's lines", () => {
  const mapper = new StackMapper(bundle(map));
  const rows: readonly (readonly [string, string])[] = [
    ["at f (data:text/javascript:1:1)", "at f (functions/a.ts:1:1)"],
    ["at f (data:text/javascript;base64,AB......==:2:1)", "at f (functions/a.ts:3:3)"],
    ["at data:text/javascript:2:12", "at functions/a.ts:3:12"],
    ["at f (data:text/javascript:9:1)", "at f (bundle:9:1)"],
    ["at f (https://a.example/x.js:1:1)", "at f (https://a.example/x.js:1:1)"],
  ];
  for (const [stack, expected] of rows) assert.equal(mapper.map(stack), expected);
});

Deno.test("StackMapper treats every map as untrusted text", () => {
  for (
    const hostile of [
      null,
      [],
      { version: 2 },
      { ...map, mappings: "!!!;\u0000,;;;;" },
      { ...map, mappings: "gggggggggggggggggggggggggB" },
      { ...map, sources: [] },
      { ...map, sources: [null] },
    ]
  ) {
    assert.equal(new StackMapper(bundle(hostile)).map("data:text/javascript:1:1"), "bundle:1:1");
  }
  assert.equal(new StackMapper("no map").map("data:text/javascript:1:1"), "bundle:1:1");
});

Deno.test("withoutInlineMap() removes the map and nothing else", () => {
  assert.equal(withoutInlineMap(bundle(map)), "one\ntwo");
  assert.equal(withoutInlineMap("one"), "one");
  assert.deepEqual(JSON.parse(readInlineMap(bundle(map)) ?? ""), map);
  assert.equal(readInlineMap("one"), undefined);
});
