import assert from "node:assert/strict";
import { endpoints } from "../../../contract/endpoints.ts";
import { clientAt, newPerson, newWorkspace, ORIGIN, withAccounts } from "../_test_accounts.ts";

Deno.test("Authenticator.recheck() stops accepting a key that was limited, expired or revoked", () =>
  withAccounts(async (test) => {
    const { apiKeys, authenticator } = test;
    const person = await newPerson(test);
    const workspace = await newWorkspace(test, person, "ada");
    const caller = { user: person.user, workspace, credential: person.credential };
    const client = clientAt();
    const create = async () => {
      const { id, key } = await apiKeys.create(caller, {
        name: "ci",
        role: "developer",
        permissions: ["read"],
        projects: null,
        description: "",
        expiresAt: new Date(test.time + 60_000).toISOString(),
      }, client);
      const request = new Request(ORIGIN, { headers: { authorization: `Bearer ${key}` } });
      await authenticator.caller(request, endpoints.followLogs, client);
      return { id, recheck: () => authenticator.recheck(request, endpoints.followLogs, client) };
    };
    const [limited, revoked, expired] = [await create(), await create(), await create()];
    for (const { recheck } of [limited, revoked, expired]) await recheck();
    await apiKeys.update(caller, limited.id, { permissions: ["rules"] }, client);
    await assert.rejects(limited.recheck(), { code: "forbidden" });
    await apiKeys.revoke(caller, revoked.id, client);
    await assert.rejects(revoked.recheck(), { code: "unauthorized" });
    test.time += 60_000;
    await assert.rejects(expired.recheck(), { code: "unauthorized" });
  }));
