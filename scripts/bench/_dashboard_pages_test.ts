import assert from "node:assert/strict";
import { pagesOf, unmeasuredRoutes } from "./_dashboard_pages.ts";

Deno.test("the dashboard bench measures each page, or gives a reason for leaving it out", () => {
  assert.deepEqual(unmeasuredRoutes(pagesOf({ deployment: "one", key: "one" })), []);
});
