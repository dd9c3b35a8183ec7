import assert from "node:assert/strict";
import { isCrossSite, isLocalHost, refusalOf } from "./guard_host.ts";

const BROWSER = { "user-agent": "Mozilla/5.0" };

Deno.test("isLocalHost() accepts names of this computer, and the project's own hostname", () => {
  for (const name of ["localhost", "shop.localhost", "127.0.0.1", "127.1.2.3", "[::1]"]) {
    assert.ok(isLocalHost(name), name);
  }
  for (const name of ["localhost.evil.com", "127.0.0.1.evil.com", "10.0.0.1", "evil.com"]) {
    assert.ok(!isLocalHost(name), name);
  }
  assert.ok(isLocalHost("dev.example.com", "dev.example.com"));
});

Deno.test("refusalOf() refuses browsers, but not programs, that use another hostname", () => {
  const request = (url: string, headers: Record<string, string>) => new Request(url, { headers });
  assert.match(refusalOf(request("http://evil.com:4321/", BROWSER)) ?? "", /not to evil\.com/);
  assert.ok(refusalOf(request("http://evil.com/", { origin: "http://evil.com" })));
  assert.ok(refusalOf(request("http://evil.com/", { "sec-fetch-site": "none" })));
  assert.equal(refusalOf(request("http://localhost:4321/", BROWSER)), undefined);
  assert.equal(
    refusalOf(request("http://shop.example.com/", { "user-agent": "curl/8" })),
    undefined,
  );
});

const CROSS: readonly (readonly [headers: Record<string, string>, crosses: boolean])[] = [
  [{}, false],
  [{ "sec-fetch-site": "none" }, false],
  [{ "sec-fetch-site": "same-origin", origin: "http://localhost:4321" }, false],
  [{ "sec-fetch-site": "same-site" }, true],
  [{ "sec-fetch-site": "cross-site" }, true],
  [{ origin: "http://localhost:4321" }, false],
  [{ origin: "http://localhost:9999" }, true],
  [{ origin: "null" }, true],
];

for (const [headers, crosses] of CROSS) {
  Deno.test(`isCrossSite() is ${crosses} for ${JSON.stringify(headers)}`, () => {
    assert.equal(isCrossSite(new Request("http://localhost:4321/__svc", { headers })), crosses);
  });
}
