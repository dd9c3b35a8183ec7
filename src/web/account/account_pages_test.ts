import assert from "node:assert/strict";
import type { Account } from "../../contract/accounts.ts";
import type { Person } from "../../platform/core/access/mod.ts";
import { securityPage } from "./account_pages.tsx";

const ID = "01890000-0000-7000-8000-000000000001";
const AT = "2026-11-21T12:00:00.000Z";
const person: Person = {
  user: { id: ID, name: "Mia", email: null },
  credential: { type: "session", id: ID, name: "Firefox", prefix: null, createdAt: AT },
  hash: "0".repeat(64),
  workspaceId: null,
};
const context = { person, csrf: "csrf", workspaces: [], path: "/account" };

const rows = [
  ["a password", { hasPassword: true }, false, ["change-password", "two-factor"]],
  ["only the messenger, right after sign-in", {}, true, ["add-email", "two-factor"]],
  ["only the messenger, in an old session", {}, false, ["confirm"]],
  [
    "only the messenger and a second factor, in an old session",
    { twoFactorEnabled: true },
    false,
    ["confirm", "two-factor"],
  ],
] as const;

for (const [name, facts, isFresh, cards] of rows) {
  Deno.test(`securityPage() shows the options for an account with ${name}`, async () => {
    const account: Account = {
      id: ID,
      name: "Mia",
      email: null,
      signUpMethod: "messenger",
      hasPassword: false,
      twoFactorEnabled: false,
      createdAt: AT,
      ...facts,
    };
    const html = await securityPage(context, { account, isFresh }).text();
    const shown = [...html.matchAll(/<section[^>]*\sid="([\w-]+)"/g)].map(([, id]) => id);
    assert.deepEqual(shown, cards);
    assert.equal(
      /name="password"[^>]*autocomplete="current-password"/.test(html),
      "hasPassword" in facts,
    );
  });
}
