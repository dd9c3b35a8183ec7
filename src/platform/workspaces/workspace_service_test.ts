import assert from "node:assert/strict";
import { clientAt, newPerson, withAccounts } from "../accounts/_test_accounts.ts";
import { OAuthError } from "../accounts/device_login/parse_request.ts";
import { createWorkspaces } from "./create_workspaces.ts";

const audit = { record: () => Promise.resolve() };

Deno.test("no token is issued if the member leaves before the CLI fetches it", () =>
  withAccounts(async (test) => {
    const { workspaces } = createWorkspaces({ ...test, audit });
    const [ada, bob] = [await newPerson(test, "ada"), await newPerson(test, "bob")];
    const workspace = await workspaces.create(ada, { slug: "ada", name: "Ada" });
    const caller = { user: ada.user, workspace, credential: ada.credential };
    const { url } = await workspaces.invite(caller, "viewer");
    await workspaces.accept(bob, url.slice(url.lastIndexOf("/") + 1), clientAt());
    const started = await test.deviceLogin.start({ clientId: "tool" }, clientAt());
    const given = { userCode: started.user_code, workspaceId: workspace.id };
    await test.deviceLogin.approve(bob, given, clientAt());
    await workspaces.remove(caller, bob.user.id, clientAt());
    await assert.rejects(
      test.deviceLogin.poll({ deviceCode: started.device_code, clientId: "tool" }, clientAt()),
      (error) => error instanceof OAuthError && error.code === "access_denied",
    );
  }));

Deno.test("the next request sees a workspace that was just created or joined", () =>
  withAccounts(async (test) => {
    const { workspaces } = createWorkspaces({ ...test, audit });
    const [ada, bob] = [await newPerson(test, "ada"), await newPerson(test, "bob")];
    const roleOf = async (userId: string) =>
      (await test.parts.memory.workspaceBySlug(userId, "ada"))?.role;
    assert.deepEqual([await roleOf(ada.user.id), await roleOf(bob.user.id)], [
      undefined,
      undefined,
    ]);
    const workspace = await workspaces.create(ada, { slug: "ada", name: "Ada" });
    const caller = { user: ada.user, workspace, credential: ada.credential };
    const { url } = await workspaces.invite(caller, "viewer");
    const token = url.slice(url.lastIndexOf("/") + 1);
    const open = await workspaces.findInvitation(token, clientAt());
    assert.deepEqual(open, {
      workspace: { slug: "ada", name: "Ada" },
      role: "viewer",
      invitedBy: "ada",
    });
    await workspaces.accept(bob, token, clientAt());
    assert.deepEqual([await roleOf(ada.user.id), await roleOf(bob.user.id)], ["owner", "viewer"]);
    assert.equal(await workspaces.findInvitation(token, clientAt()), undefined, "used up");
  }));
