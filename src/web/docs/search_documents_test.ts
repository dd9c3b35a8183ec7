import assert from "node:assert/strict";
import { readLibrary } from "../../documents/read_library.ts";
import { createSearch } from "./search_documents.ts";

const search = await createSearch(await readLibrary());

const ROWS: Readonly<Record<string, RegExp>> = {
  "rollback": /^\/docs\/quick-start#|^\/docs\/cli/,
  "rate limit": /^\/docs\/rules/,
  "wildcard certificate": /^\/docs\/(?:domains|self-hosting)/,
  "databse branches": /^\/docs\/(?:databases|cli)/,
  "next.js middleware": /^\/docs\/(?:nextjs|frameworks)/,
};

for (const [query, href] of Object.entries(ROWS)) {
  Deno.test(`createSearch() finds sections for "${query}"`, () => {
    const found = search(query);
    assert.ok(found.length > 0 && found.length <= 20);
    assert.ok(found.some((each) => href.test(each.href)), JSON.stringify(found.slice(0, 5)));
    for (const { title, heading, excerpt } of found) {
      assert.ok(title.length > 0 && heading.length > 0);
      assert.ok(excerpt.length <= 170, excerpt);
      assert.doesNotMatch(excerpt, /<(?:p|li|code|span)\b|&#?\w+;/);
    }
  });
}

Deno.test("createSearch() finds nothing for words that do not occur in any document", () => {
  assert.deepEqual(search("zzyzx qqqq"), []);
  assert.deepEqual(search(""), []);
});
