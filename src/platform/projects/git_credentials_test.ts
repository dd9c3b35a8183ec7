import assert from "node:assert/strict";
import { leavesHost } from "./git_credentials.ts";

const ROWS = [
  ["the same URL", "https://a.example/x.git", "https://a.example/x.git", false],
  ["another path on the host", "https://a.example/x.git", "https://a.example/y.git", false],
  ["another host", "https://a.example/x.git", "https://evil.example/x.git", true],
  ["another port", "https://a.example/x.git", "https://a.example:8443/x.git", true],
  ["without encryption", "https://a.example/x.git", "http://a.example/x.git", true],
  ["another transport", "https://a.example/x.git", "git@a.example:x.git", true],
  ["another spelling for SSH", "git@a.example:x.git", "ssh://git@a.example/x.git", false],
  ["no URL", "https://a.example/x.git", null, true],
] as const;

Deno.test("leavesHost() returns true if the credentials do not apply to the new git URL", () => {
  for (const [name, from, to, leaves] of ROWS) assert.equal(leavesHost(from, to), leaves, name);
});
