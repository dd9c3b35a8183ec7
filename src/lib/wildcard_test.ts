import assert from "node:assert/strict";
import fc from "fast-check";
import { matchesWildcard } from "./wildcard.ts";

const MATCHES = [
  ["main", "main", true],
  ["main", "mains", false],
  ["*", "anything/at all", true],
  ["release/*", "release/1.2", true],
  ["release/*", "release/", true],
  ["release/*", "prerelease/1", false],
  ["*-fix", "hot-fix", true],
  ["a*a", "a", false],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["a*bc*c", "abc", false],
] as const;

Deno.test("matchesWildcard() lets * match any text", () => {
  for (const [pattern, branch, wanted] of MATCHES) {
    assert.equal(matchesWildcard(pattern, branch), wanted, `${pattern} ${branch}`);
  }
});

Deno.test("matchesWildcard() agrees with a regular expression", () => {
  const word = fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 8 });
  const pattern = fc.string({ unit: fc.constantFrom("a", "b", "/", "*"), maxLength: 6 });
  fc.assert(fc.property(pattern, word, (glob, branch) => {
    const naive = new RegExp(`^${glob.replaceAll("*", ".*")}$`);
    assert.equal(matchesWildcard(glob, branch), naive.test(branch));
  }));
});
