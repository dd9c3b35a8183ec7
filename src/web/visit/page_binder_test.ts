import assert from "node:assert/strict";
import { showFailure } from "./page_binder.tsx";
import { Router } from "../../platform/core/http/mod.ts";

const nobody = () => Promise.reject(new Error("No credentials are expected"));

Deno.test("Router shows an error page without the cause if a page fails", async () => {
  const faults: [string, unknown][] = [];
  const router = new Router({
    idempotency: { run: nobody },
    gatekeeper: { caller: nobody, recheck: nobody, person: nobody, self: nobody },
    requestId: () => "r1",
    onFault: (id, cause) => faults.push([id, cause]),
    showFailure,
  });
  const cause = new Error("the store is <gone>");
  router.page("GET", "/broken", () => {
    throw cause;
  });
  router.seal();
  const answer = await router.fetch(
    new Request("http://platform.test/broken", { headers: { accept: "text/html" } }),
    { address: "192.0.2.1", userAgent: "", cookie: null, country: () => null },
  );
  const html = await answer.text();
  assert.equal(answer.status, 500);
  assert.match(html, /<h1>Something went wrong on our side<\/h1>[^]*<code>r1<\/code>/);
  assert.ok(!html.includes("gone"));
  assert.deepEqual(faults, [["r1", cause]]);
});
