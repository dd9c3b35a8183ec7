import assert from "node:assert/strict";
import { redirectToHost, redirectToHttps } from "./redirect.ts";

const rows = [
  ["http://www.shop.example/a/b?c=d", "http://shop.example/a/b?c=d"],
  ["https://www.shop.example:8443//evil.example/", "https://shop.example:8443//evil.example/"],
  ["http://www.shop.example", "http://shop.example/"],
  ["http://www.shop.example/€?q=ü%20", "http://shop.example/%E2%82%AC?q=%C3%BC%20"],
] as const;

for (const [from, to] of rows) {
  Deno.test(`redirectToHost() sends ${from} to ${to}`, () => {
    const response = redirectToHost(from, {
      hostname: "shop.example",
      scheme: to.startsWith("https") ? "https" : "http",
    });
    assert.deepEqual([response.status, response.headers.get("location")], [308, to]);
  });
}

Deno.test("redirectToHttps() drops the port of plain HTTP", () => {
  const response = redirectToHttps("http://shop.example:80/a?b");
  assert.equal(response.headers.get("location"), "https://shop.example/a?b");
});
