import assert from "node:assert/strict";
import { originOf } from "./deployment_origin.ts";

const BUILD = { promotedFrom: null, redeployOf: null, source: "git" } as const;

Deno.test("originOf() distinguishes uploads, builds, redeployments and promotions", () => {
  assert.equal(originOf({ ...BUILD, source: "upload" }), "Upload");
  assert.equal(originOf({ ...BUILD, trigger: "upload" }), "Upload");
  assert.equal(originOf({ ...BUILD, trigger: "push" }), "Git push");
  assert.equal(originOf({ ...BUILD, trigger: "hook" }), "Deploy hook");
  assert.equal(originOf({ ...BUILD, trigger: "request" }), "Manual build");
  assert.equal(originOf(BUILD), "Git", "a record written by an older version");
  assert.equal(
    originOf({ ...BUILD, trigger: "upload", redeployOf: "019a0000-0000-7000-8000-000000000001" }),
    "Redeploy of 019a0000",
  );
  assert.equal(originOf({ ...BUILD, promotedFrom: "019a0000" }), "Promoted from a preview");
});
