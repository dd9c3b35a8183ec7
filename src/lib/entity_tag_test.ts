import assert from "node:assert/strict";
import { entityTag, ifMatchHolds, ifNoneMatchNames, isEntityTagList } from "./entity_tag.ts";

const ETAG = entityTag("0123456789abcdef".repeat(4));

Deno.test("entityTag() is strong and quoted", () => {
  assert.equal(ETAG, '"0123456789abcdef0123456789abcdef"');
});

const rows: readonly (readonly [name: string, value: string, ifMatch: boolean, none: boolean])[] = [
  ["the tag", ETAG, true, true],
  ["any tag", "*", true, true],
  ["any tag, with spaces", " * ", true, true],
  ["a weak tag", `W/${ETAG}`, false, true],
  ["the tag in a list", `"a", ${ETAG} ,"b"`, true, true],
  ["the tag in a list with a comma inside another tag", `"a,b",${ETAG}`, true, true],
  ["a weak tag in a list", `"a", W/${ETAG}`, false, true],
  ["empty members in a list", `,, ${ETAG}`, true, true],
  ["another tag", '"abc"', false, false],
  ["part of the tag", ETAG.slice(0, 10), false, false],
  ["the tag without quotes", ETAG.slice(1, -1), false, false],
  ["the tag after garbage", `garbage, ${ETAG}`, false, false],
  ["an empty value", "", false, false],
];

for (const [name, value, ifMatch, none] of rows) {
  Deno.test(`ifMatchHolds() is ${ifMatch}, and ifNoneMatchNames() is ${none}, for ${name}`, () => {
    assert.equal(ifMatchHolds(value, ETAG), ifMatch);
    assert.equal(ifNoneMatchNames(value, ETAG), none);
  });
}

Deno.test("isEntityTagList() distinguishes lists from garbage", () => {
  for (const list of ["*", ETAG, `W/${ETAG}`, `"a",W/"b" , "c",`, '""', `, "a"`]) {
    assert.ok(isEntityTagList(list), list);
  }
  for (const garbage of ["", ",", "none", '"a" "b"', '"a', 'w/"a"', `"a", none`, `*, "a"`]) {
    assert.ok(!isEntityTagList(garbage), garbage);
  }
});
