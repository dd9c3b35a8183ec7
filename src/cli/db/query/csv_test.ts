import assert from "node:assert/strict";
import { csvRecord } from "./csv.ts";

const ROWS: readonly (readonly [
  name: string,
  values: readonly (string | null)[],
  record: string,
])[] = [
  ["plain values", ["a", "1", "x y"], "a,1,x y\r\n"],
  ["null and an empty string", [null, "", "a"], ',"",a\r\n'],
  [
    "commas, quotes and line breaks",
    ["a,b", 'c"d', "e\nf", "g\rh"],
    '"a,b","c""d","e\nf","g\rh"\r\n',
  ],
  ["leading and trailing spaces", [" a", "b "], '" a","b "\r\n'],
  ["one null, which is not an empty line", [null], '""\r\n'],
];

for (const [name, values, record] of ROWS) {
  Deno.test(`csvRecord() writes ${name}`, () => assert.equal(csvRecord(values), record));
}
