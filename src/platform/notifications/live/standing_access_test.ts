import assert from "node:assert/strict";
import { endpoints } from "../../../contract/endpoints.ts";
import {
  clientAt,
  newPerson,
  newWorkspace,
  type TestAccounts,
  withAccounts,
} from "../../accounts/_test_accounts.ts";
import { hashApiKey } from "../../accounts/api_keys/api_key.ts";
import { SESSION_IDLE_MS } from "../../accounts/credentials/credential.ts";
import { selfCallerOf } from "../../core/access/caller.ts";
import { standingAccess } from "./standing_access.ts";

const accessOf = (test: TestAccounts, owner: Parameters<typeof standingAccess>[0]) =>
  standingAccess(owner, { memory: test.authenticator.memory, now: () => test.time });

Deno.test("standingAccess() ends a session's access when its user signs out", () =>
  withAccounts(async (test) => {
    const person = await newPerson(test);
    const isAllowed = accessOf(test, person);
    assert.equal(await isAllowed(), true);
    await test.signIn.signOut(selfCallerOf(person));
    assert.equal(await isAllowed(), false);
  }));

Deno.test("standingAccess() ends a session's access when the session expires", () =>
  withAccounts(async (test) => {
    const isAllowed = accessOf(test, await newPerson(test));
    test.time += SESSION_IDLE_MS;
    assert.equal(await isAllowed(), false);
  }));

Deno.test("standingAccess() ends an API key's access when the key is revoked, or when its creator leaves", () =>
  withAccounts(async (test) => {
    const person = await newPerson(test);
    const workspace = await newWorkspace(test, person, "a");
    const { user, credential } = person;
    const caller = { user, credential, workspace };
    const make = () =>
      test.apiKeys.create(
        caller,
        endpoints.createApiKey.body.parse({ name: "k", role: "viewer" }),
        clientAt(),
      );
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
    await test.accounts.changeMember(workspace.id, user.id, () => undefined);
    test.authenticator.memory.forgetAll();
    assert.equal(await second!(), false);
  }));

Deno.test("standingAccess() returns no access for an unknown credential", () =>
  withAccounts(async (test) => {
    const person = await newPerson(test);
    assert.equal(await accessOf(test, { ...person, hash: "unknown" })(), false);
  }));
