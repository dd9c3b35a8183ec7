import assert from "node:assert/strict";
import { checkRevalidation, MAX_REVALIDATED } from "./revalidation.ts";

Deno.test("checkRevalidation() fills in missing fields", () => {
  assert.deepEqual(checkRevalidation({ paths: ["/blog/a"] }), {
    paths: ["/blog/a"],
    tags: [],
    soft: false,
  });
  assert.deepEqual(checkRevalidation({ tags: ["posts"], soft: true }), {
    paths: [],
    tags: ["posts"],
    soft: true,
  });
});

for (
  const [asked, problem] of [
    [undefined, 'Pass an object with "paths" or "tags"'],
    [["/a"], 'Pass an object with "paths" or "tags"'],
    [{}, 'Pass at least one path or tag in "paths" or "tags"'],
    [{ paths: [], tags: [] }, 'Pass at least one path or tag in "paths" or "tags"'],
    [{ path: "/a" }, '"path" is not known; use "paths", "tags" and "soft"'],
    [{ paths: "/a" }, '"paths" must be a list of strings'],
    [{ tags: ["a", 1] }, '"tags[1]" must be a string of 1 to 256 characters'],
    [{ tags: ["x".repeat(257)] }, '"tags[0]" must be a string of 1 to 256 characters'],
    [{ paths: ["blog"] }, 'The path "blog" must begin with / and have no query or fragment'],
    [{ paths: ["/a?b"] }, 'The path "/a?b" must begin with / and have no query or fragment'],
    [{ tags: ["a"], soft: 1 }, '"soft" must be true or false'],
    [
      { tags: Array(MAX_REVALIDATED + 1).fill("a") },
      '"tags" has 129 items; at most 128 are allowed in one call',
    ],
  ] as const
) {
  Deno.test(`checkRevalidation() refuses ${JSON.stringify(asked)?.slice(0, 60)}`, () => {
    assert.deepEqual(checkRevalidation(asked), { problem });
  });
}
