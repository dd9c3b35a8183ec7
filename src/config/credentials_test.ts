import assert from "node:assert/strict";
import {
  addLogin,
  dropLogins,
  findCredential,
  NO_CREDENTIALS,
  withDefaultWorkspace,
} from "./credentials.ts";
import { normalizeApiUrl } from "./api_url.ts";
import type { Credentials } from "./credentials_schema.ts";

const ONE = "https://one.example";
const TWO = "http://localhost:8787";

function logIn(credentials: Credentials, at: string, day = 1): Credentials {
  const [apiUrl, workspace] = at.split(" ") as [string, string];
  const savedAt = new Date(Date.UTC(2026, 10, day));
  return addLogin(credentials, { apiUrl, workspace, token: `token-of-${workspace}`, savedAt });
}

const ALL = logIn(logIn(logIn(NO_CREDENTIALS, `${ONE} red`), `${ONE} blue`, 2), `${TWO} green`, 3);

Deno.test("addLogin() keeps other workspaces and platforms, and makes the new one the default", () => {
  assert.equal(ALL.currentPlatform, TWO);
  assert.equal(ALL.platforms[ONE]?.defaultWorkspace, "blue");
  assert.deepEqual(Object.keys(ALL.platforms[ONE]?.logins ?? {}), ["red", "blue"]);
});

const ROWS = [
  { name: "the current platform", query: {}, workspace: "green", token: "token-of-green" },
  { name: "a platform", query: { apiUrl: ONE }, workspace: "blue", token: "token-of-blue" },
  {
    name: "a platform with a trailing slash",
    query: { apiUrl: `${ONE}/` },
    workspace: "blue",
    token: "token-of-blue",
  },
  {
    name: "a workspace",
    query: { apiUrl: ONE, workspace: "red" },
    workspace: "red",
    token: "token-of-red",
  },
  {
    name: "the most recent login to the platform for a workspace without its own",
    query: { apiUrl: ONE, workspace: "green" },
    workspace: "green",
    token: "token-of-blue",
  },
  {
    name: "a workspace named like a built-in property",
    query: { apiUrl: ONE, workspace: "constructor" },
    workspace: "constructor",
    token: "token-of-blue",
  },
] as const;

for (const { name, query, workspace, token } of ROWS) {
  Deno.test(`findCredential() finds ${name}`, () => {
    const found = findCredential(ALL, query);
    assert.equal(found?.workspace, workspace);
    assert.equal(found?.token, token);
  });
}

Deno.test("findCredential() never uses a token for another platform", () => {
  assert.equal(findCredential(ALL, { apiUrl: "https://other.example" }), undefined);
  assert.equal(findCredential(NO_CREDENTIALS), undefined);
});

Deno.test("dropLogins() removes one workspace and falls back to the newest remaining", () => {
  const left = dropLogins(ALL, { apiUrl: ONE, workspace: "blue" });
  assert.deepEqual(Object.keys(left.platforms[ONE]?.logins ?? {}), ["red"]);
  assert.equal(left.platforms[ONE]?.defaultWorkspace, "red");
  assert.equal(left.currentPlatform, TWO);
});

Deno.test("dropLogins() removes a platform with its last login", () => {
  const left = dropLogins(ALL, { apiUrl: TWO, workspace: "green" });
  assert.deepEqual(Object.keys(left.platforms), [ONE]);
  assert.equal(left.currentPlatform, ONE);
  assert.deepEqual(dropLogins(left, { apiUrl: ONE }), NO_CREDENTIALS);
});

Deno.test("dropLogins() changes nothing if there is nothing to remove", () => {
  assert.deepEqual(dropLogins(ALL, { apiUrl: "https://other.example" }), ALL);
  assert.deepEqual(dropLogins(ALL, { apiUrl: ONE, workspace: "green" }), ALL);
});

Deno.test("withDefaultWorkspace() needs no login to the workspace or the platform", () => {
  const changed = withDefaultWorkspace(ALL, { apiUrl: ONE, workspace: "yellow" });
  assert.equal(findCredential(changed, { apiUrl: ONE })?.workspace, "yellow");
  const choice = { apiUrl: "https://other.example/", workspace: "red" };
  const added = withDefaultWorkspace(ALL, choice);
  assert.deepEqual(added, {
    ...ALL,
    platforms: {
      ...ALL.platforms,
      "https://other.example": { defaultWorkspace: "red", logins: {} },
    },
  });
  assert.equal(findCredential(added, { apiUrl: choice.apiUrl }), undefined);
});

const ADDRESSES = [
  ["HTTPS://One.Example:443/", "https://one.example"],
  ["http://localhost:8787/base/?q#f", "http://localhost:8787/base"],
] as const;

for (const [given, wanted] of ADDRESSES) {
  Deno.test(`normalizeApiUrl() writes ${given} as ${wanted}`, () =>
    assert.equal(normalizeApiUrl(given), wanted));
}
for (const bad of ["localhost:8787", "ftp://x", "https://user:secret@x", ""]) {
  Deno.test(`normalizeApiUrl() refuses ${JSON.stringify(bad)}, without repeating it`, () => {
    assert.throws(
      () => normalizeApiUrl(bad),
      (error: unknown) => error instanceof TypeError && !error.message.includes("secret"),
    );
  });
}
