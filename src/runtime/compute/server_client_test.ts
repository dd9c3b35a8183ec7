import assert from "node:assert/strict";
import { forwardedHeaders } from "./server_client.ts";

Deno.test("forwardedHeaders() drops what belongs to one connection, and names the request", () => {
  const headers = forwardedHeaders({
    method: "POST",
    target: "/",
    headers: [
      ["Host", "app.example"],
      ["Connection", "keep-alive, X-Hop"],
      ["X-Hop", "1"],
      ["Transfer-Encoding", "chunked"],
      ["Content-Length", "5"],
      ["Expect", "100-continue"],
      ["X-Svc-Request-Id", "forged"],
      ["Accept", "*/*"],
    ],
    requestId: "req_1",
  });
  assert.deepEqual(headers, [
    ["Host", "app.example"],
    ["Accept", "*/*"],
    ["x-svc-request-id", "req_1"],
  ]);
});
