import assert from "node:assert/strict";
import type { Permission } from "../../contract/permissions.ts";
import { grantText } from "./grant_text.ts";

Deno.test("grantText() describes a key's permissions in a sentence", () => {
  const cases: [Permission[], string, string][] = [
    [["everything"], "all projects", "Full access to all projects"],
    [["read", "everything"], "shop", "Full access to shop"],
    [["read"], "all projects", "Can read all projects"],
    [["deploy-previews"], "docs-site", "Can deploy previews of docs-site"],
    [["read", "rules"], "shop", "Can read and change edge rules of shop"],
  ];
  for (const [permissions, reach, expected] of cases) {
    assert.equal(grantText(permissions, reach), expected);
  }
});
