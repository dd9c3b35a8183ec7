import assert from "node:assert/strict";
import { noProxyForLoopback, proxyFor } from "./proxy.ts";

const PROXIED = { HTTP_PROXY: "http://ada:secret@proxy.example:3128" };

Deno.test("proxyFor() omits the password, and returns no proxy for this machine", () => {
  const proxy = { variable: "HTTP_PROXY", address: "http://proxy.example:3128" };
  assert.deepEqual(proxyFor("http://svc.example/v1", PROXIED), proxy);
  assert.equal(proxyFor("https://svc.example/v1", PROXIED), undefined);
  for (const host of ["localhost:8787", "blog.localhost:8787", "127.0.0.1:1", "[::1]:8787"]) {
    assert.equal(proxyFor(`http://${host}/`, PROXIED), undefined, host);
  }
  const spared = { ...PROXIED, NO_PROXY: "intern.example, .svc.example" };
  assert.equal(proxyFor("http://a.svc.example/", spared), undefined);
  assert.deepEqual(proxyFor("http://other.example/", spared), proxy);
});

Deno.test("noProxyForLoopback() adds this machine to existing exceptions", () => {
  assert.equal(noProxyForLoopback({ NO_PROXY: "a.example" }), undefined);
  assert.equal(noProxyForLoopback(PROXIED), "localhost,127.0.0.1,::1");
  const both = { ...PROXIED, no_proxy: "a.example" };
  assert.equal(noProxyForLoopback(both), "a.example,localhost,127.0.0.1,::1");
});
