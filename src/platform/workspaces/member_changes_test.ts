import assert from "node:assert/strict";
import { keepsOwner } from "./member_changes.ts";

const owner = { userId: "a", role: "owner" } as const;
const second = { userId: "b", role: "owner" } as const;
const viewer = { userId: "c", role: "viewer" } as const;

const rows = [
  ["the last owner leaves", [owner, viewer], { userId: "a", role: null }, false],
  ["the last owner steps down", [owner, viewer], { userId: "a", role: "developer" }, false],
  ["the last owner stays owner", [owner, viewer], { userId: "a", role: "owner" }, true],
  ["one of two owners leaves", [owner, second], { userId: "a", role: null }, true],
  ["a viewer leaves", [owner, viewer], { userId: "c", role: null }, true],
] as const;

for (const [name, members, change, expected] of rows) {
  Deno.test(`keepsOwner() returns ${expected} if ${name}`, () => {
    assert.equal(keepsOwner(members, change), expected);
  });
}
