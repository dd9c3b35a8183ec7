import assert from "node:assert/strict";
import { apiHosts, hostnameOf } from "./hostname.ts";

const rows = [
  ["http://shop.localhost:8787/a", "shop.localhost"],
  ["http://shop.localhost/a:b", "shop.localhost"],
  ["http://SHOP.localhost", "shop.localhost"],
  ["https://127.0.0.1:1/", "127.0.0.1"],
  ["http://[::1]:8787/x", "[::1]"],
  ["http://shop.localhost./", "shop.localhost"],
] as const;

for (const [url, hostname] of rows) {
  Deno.test(`hostnameOf() finds ${hostname} in ${url}`, () => {
    assert.equal(hostnameOf(url), hostname);
  });
}

Deno.test("hostnameOf() does not depend on the previous URL", () => {
  for (const [first, firstName] of rows) {
    for (const [second, name] of [...rows, ["http://shop.localhost/?a", "shop.localhost"]]) {
      assert.equal(hostnameOf(first), firstName);
      assert.equal(hostnameOf(second), name);
    }
  }
});

Deno.test("apiHosts() contains the given names and numeric addresses", () => {
  const isApi = apiHosts(["localhost", "svc.example"]);
  for (const host of ["localhost", "svc.example", "127.0.0.1", "10.1.2.3", "[::1]"]) {
    assert.ok(isApi(host), host);
  }
  for (const host of ["shop.localhost", "evil.example", "1.2.3.4.example"]) {
    assert.ok(!isApi(host), host);
  }
});
