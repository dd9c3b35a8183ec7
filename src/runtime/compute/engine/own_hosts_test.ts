import assert from "node:assert/strict";
import { OwnHosts } from "./own_hosts.ts";

Deno.test("OwnHosts recognizes its names, and names that always mean this machine", () => {
  const own = new OwnHosts(["shop.example.com"]);
  const rows: readonly (readonly [string, boolean, boolean])[] = [
    ["shop.example.com", true, true],
    ["Shop.Example.com", true, true],
    ["other.localhost", true, true],
    ["localhost", false, true],
    ["127.0.0.1", false, true],
    ["[::1]", false, true],
    ["127.0.0.1.example.com", false, false],
    ["example.com", false, false],
    ["x.shop.example.com", false, false],
    ["notlocalhost", false, false],
  ];
  for (const [name, resolves, includes] of rows) {
    assert.equal(own.resolves(name), resolves, name);
    assert.equal(own.includes(name), includes, name);
  }
});
