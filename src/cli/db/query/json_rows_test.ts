import assert from "node:assert/strict";
import { jsonValue, memberNames, rowWriter } from "./json_rows.ts";

const ROWS: readonly (readonly [type: string, value: string | null, json: string])[] = [
  ["int4", "-12", "-12"],
  ["int2", "7", "7"],
  ["oid", "4294967295", "4294967295"],
  ["float8", "1.5e-07", "1.5e-07"],
  ["float8", "1e+20", "1e+20"],
  ["float4", "NaN", '"NaN"'],
  ["float8", "-Infinity", '"-Infinity"'],
  ["int8", "9007199254740993", '"9007199254740993"'],
  ["numeric", "0.10", '"0.10"'],
  ["bool", "t", "true"],
  ["bool", "f", "false"],
  ["text", null, "null"],
  ["text", "", '""'],
  ["text", 'a"\n\u2028', '"a\\"\\n\u2028"'],
  ["jsonb", '{"a": [12345678901234567890]}', '{"a": [12345678901234567890]}'],
  ["json", '{\n "a":\r\n 1, "a": 2}', '{  "a":  1, "a": 2}'],
  ["_int4", "{1,2}", '"{1,2}"'],
  ["oid:16500", "mood", '"mood"'],
  ["timestamptz", "2026-11-22 18:00:00+00", '"2026-11-22 18:00:00+00"'],
];

for (const [type, value, json] of ROWS) {
  Deno.test(`jsonValue() of ${type} ${JSON.stringify(value)}`, () => {
    assert.equal(jsonValue(value, type), json);
    JSON.parse(json);
  });
}

Deno.test("memberNames() numbers shared names, and never reuses another column's name", () => {
  const names = (...given: string[]) => memberNames(given.map((name) => ({ name, type: "text" })));
  assert.deepEqual(names("id", "a", "id", "id"), ["id", "a", "id_2", "id_3"]);
  assert.deepEqual(names("id", "id", "id_2"), ["id", "id_3", "id_2"]);
});

Deno.test("rowWriter() keeps a column named __proto__", () => {
  const write = rowWriter([{ name: "__proto__", type: "int4" }, { name: "b", type: "bool" }]);
  assert.equal(write(["1", "t"]), '{"__proto__":1,"b":true}');
});
