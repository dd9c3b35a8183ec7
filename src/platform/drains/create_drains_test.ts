import assert from "node:assert/strict";
import { parseHeaders } from "../../lib/value_parsers.ts";
import { operatorEndpoints } from "./create_drains.ts";

Deno.test("operatorEndpoints() sends a credential only to its host", () => {
  const urls = ["http://localhost:4318", "https://otlp.example/x", "https://localhost:9"];
  const headers = parseHeaders("a=1,otlp.example:b=2,localhost:c=3,localhost:4318:d=4,other:e=5");
  assert.deepEqual(operatorEndpoints({ urls, headers }), [
    { url: urls[0], headers: { a: "1", c: "3", d: "4" } },
    { url: urls[1], headers: { b: "2" } },
    { url: urls[2], headers: { c: "3" } },
  ]);
  assert.deepEqual(operatorEndpoints({ urls: [urls[0]!] }), [{ url: urls[0], headers: {} }]);
  assert.deepEqual(operatorEndpoints(undefined), []);
});
