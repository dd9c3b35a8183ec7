import assert from "node:assert/strict";
import {
  clientAt,
  newAccount,
  requestWith,
  type TestAccounts,
  withAccounts,
} from "../accounts/_test_accounts.ts";
import { hashApiKey } from "../accounts/api_key.ts";
import { SESSION_IDLE_MS } from "../accounts/credential.ts";
import { standingAccess } from "./standing_access.ts";

const accessOf = (test: TestAccounts, holder: Parameters<typeof standingAccess>[0]) =>
  standingAccess(holder, { memory: test.authenticator.memory, now: () => test.time });

async function signedIn(test: TestAccounts) {
  const cookie = await newAccount(test);
  return (await test.pages.person(requestWith(cookie), clientAt()))!;
}

Deno.test("standingAccess() of a session ends when its person signs out", () =>
  withAccounts(async (test) => {
    const person = await signedIn(test);
    const isAllowed = accessOf(test, person);
    assert.equal(await isAllowed(), true);
    await test.pages.signOut(person);
    assert.equal(await isAllowed(), false);
  }));

Deno.test("standingAccess() of a session ends with its time", () =>
  withAccounts(async (test) => {
    const isAllowed = accessOf(test, await signedIn(test));
    test.time += SESSION_IDLE_MS;
    assert.equal(await isAllowed(), false);
  }));

Deno.test("standingAccess() of an API key ends when it is revoked, or its maker leaves", () =>
  withAccounts(async (test) => {
    const person = await signedIn(test);
    const { id, slug, name, role } = await test.workspaces.create(person, { slug: "a", name: "A" });
    const { user, credential } = person;
    const caller = { user, credential, workspace: { id, slug, name, role } };
    const make = () => test.apiKeys.create(caller, { name: "k", role: "viewer" }, clientAt());
    const [one, two] = [await make(), await make()];
    const [first, second] = [one, two].map(({ key }) =>
      accessOf(test, {
        credential: { ...credential, type: "api_key" },
        hash: hashApiKey(key),
      })
    );
    assert.deepEqual([await first!(), await second!()], [true, true]);
    await test.apiKeys.revoke(caller, one.id, clientAt());
    assert.deepEqual([await first!(), await second!()], [false, true]);
    await test.accounts.changeMember(id, user.id, () => undefined);
    test.authenticator.memory.forgetAll();
    assert.equal(await second!(), false);
  }));

Deno.test("standingAccess() of an unknown credential is none", () =>
  withAccounts(async (test) => {
    const person = await signedIn(test);
    assert.equal(await accessOf(test, { ...person, hash: "unknown" })(), false);
  }));
