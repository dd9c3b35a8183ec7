import assert from "node:assert/strict";
import { Addresses } from "../../../core/addresses.ts";
import { deploymentRecord } from "../../../deployments/mod.ts";
import { commentText } from "./report_text.ts";

const DEPLOYMENT = deploymentRecord.parse({
  id: "d1",
  projectId: "p1",
  workspaceId: "w1",
  projectName: "shop",
  status: "LIVE",
  environment: "preview",
  branch: "map",
  commitSha: "8f14e45fceea167a5a36dedd4bea2543c1a0f4d1",
  message: null,
  author: null,
  uniqueLabel: "shop-2b3c4d5f",
  branchLabel: "shop-git-map",
  contentSha: null,
  functions: [],
  variablesVersion: "1",
  fileCount: 0,
  totalBytes: 0,
  error: null,
  createdAt: 0,
  updatedAt: 0,
  liveAt: 0,
});

const CONTEXT = {
  addresses: new Addresses({ protocol: "https:", domain: "example.net", port: "" }),
  publicOrigin: "https://example.net",
};

Deno.test("commentText() lists the release's checks, without the causes of failures", () => {
  const result = { kind: "request" as const, durationMs: 1, attempts: 1 };
  const text = commentText(DEPLOYMENT, {
    ...CONTEXT,
    protection: "off",
    checks: {
      state: "FAILED",
      results: [
        { ...result, name: "Start `page`\n# x", passed: true, problem: null },
        { ...result, name: "sh check.sh", passed: false, problem: "a secret cause" },
      ],
    },
  });
  assert.match(text, /^Checks before production: 1 of 2 failed\. Production did not change\.$/m);
  assert.match(text, /^- Passed: `Start page # x`\n- Failed: `sh check\.sh`$/m);
  assert.doesNotMatch(text, /a secret cause/);
});

Deno.test("commentText() explains how to open a protected preview, and adds nothing for an open preview", () => {
  const rows = [
    ["off", undefined, undefined],
    ["members", undefined, /sign in as a member/],
    ["all", undefined, /sign in as a member/],
    ["password", undefined, /enter the password/],
    ["members", "off", undefined],
    ["off", "members", /sign in as a member/],
  ] as const;
  for (const [protection, declared, wanted] of rows) {
    const deployment = declared === undefined
      ? DEPLOYMENT
      : { ...DEPLOYMENT, protection: declared };
    const text = commentText(deployment, { ...CONTEXT, protection });
    if (wanted === undefined) assert.doesNotMatch(text, /To see it/, `${protection} ${declared}`);
    else assert.match(text, wanted, `${protection} ${declared}`);
  }
});

Deno.test("commentText() lists how the schema of a live preview differs from main", () => {
  const schemaDifference = {
    database: "orders",
    branch: "preview/map",
    changes: [{ change: "added" as const, kind: "column" as const, name: 'public."a`b\n# c"' }],
    total: 3,
  };
  const textOf = (status: "LIVE" | "FAILED") =>
    commentText({ ...DEPLOYMENT, status, schemaDifference }, { ...CONTEXT, protection: "off" });
  assert.match(textOf("LIVE"), /^3 differences of the database schema from main:$/m);
  assert.match(textOf("LIVE"), /^- `\+ column public\."a b.*# c"`$/m);
  assert.match(textOf("LIVE"), /^- `and 2 more: svc db diff preview\/map`$/m);
  assert.doesNotMatch(textOf("FAILED"), /schema/);
});
