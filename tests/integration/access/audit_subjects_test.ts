/** Tests the subjects of audit log entries: ID, name and changes. */
import assert from "node:assert/strict";
import { withDashboard } from "../../helpers/dashboard.ts";
import { deploy } from "../../helpers/platform.ts";

interface Entry {
  readonly action: string;
  readonly project: string | null;
  readonly target: { readonly id: string | null; readonly name: string | null } | null;
  readonly changes: readonly {
    readonly field: string;
    readonly from: string | null;
    readonly to: string | null;
  }[];
}

const SECRET = "correct-horse-battery";
const P = "/v1/projects/harbour";

/** Returns `field: from → to` for each change. */
const changesOf = ({ changes }: Entry) =>
  changes.map(({ field, from, to }) => `${field}: ${from} → ${to}`);

Deno.test("every entry names the created, changed or deleted object and its old and new values", () =>
  withDashboard(async ({ own, ada, viewer, api }) => {
    const seen = new Set<string>();
    // deno-lint-ignore no-explicit-any -- tests inspect any response
    async function call(method: string, path: string, json?: unknown): Promise<any> {
      return (await api(method, path, json)).json;
    }
    async function newest(action: string): Promise<Entry> {
      const entry: Entry = (await call("GET", `/v1/audit?limit=1&action=${action}`)).items[0];
      assert.ok(entry, `the log has no entry for ${action}`);
      seen.add(action);
      return entry;
    }
    async function expect(action: string, name: string | null, ...changes: readonly string[]) {
      const entry = await newest(action);
      assert.equal(entry.target?.name, name, `name of ${action}`);
      const all = changesOf(entry);
      for (const change of changes) assert.ok(all.includes(change), `${action}: ${all.join("; ")}`);
      return entry;
    }

    const project = await call("POST", "/v1/projects", { name: "harbour" });
    assert.equal((await expect("createProject", "harbour")).target!.id, project.id);
    await call("PATCH", P, { branch: "trunk", gitUrl: "https://forge.example/ada/harbour.git" });
    await expect("updateProject", "harbour", "branch: main → trunk");
    await call("PUT", `${P}/git-credentials`, { type: "https", username: "ada", token: SECRET });
    await expect("setGitCredentials", "harbour", "gitCredentials: null → https");
    await call("DELETE", `${P}/git-credentials`);
    await expect("removeGitCredentials", "harbour", "gitCredentials: https → null");

    const key = await call("POST", "/v1/api-keys", { name: "robot", role: "developer" });
    await expect("createApiKey", "robot", "role: null → developer");
    await call("PATCH", `/v1/api-keys/${key.id}`, { name: "machine", permissions: ["read"] });
    await expect(
      "updateApiKey",
      "machine",
      "name: robot → machine",
      "permissions: everything → read",
    );
    await call("DELETE", `/v1/api-keys/${key.id}`);
    const revoked = await expect("revokeApiKey", "machine");
    assert.deepEqual(revoked.target, { id: key.id, name: "machine" });

    const publisher = await call("POST", "/v1/trusted-publishers", {
      provider: "github",
      repository: "ada/harbour",
      branch: "trunk",
      permissions: ["read", "deploy-previews"],
    });
    await expect("createPublisher", "github/ada/harbour", "branch: null → trunk");
    await call("DELETE", `/v1/trusted-publishers/${publisher.id}`);
    await expect("deletePublisher", "github/ada/harbour");

    const { items: members } = await call("GET", "/v1/members");
    const { userId } = members.find(({ name }: { name: string }) => name === "vic");
    await call("PATCH", `/v1/members/${userId}`, { role: "developer" });
    const promoted = await expect("changeMember", "vic", "role: viewer → developer");
    assert.equal(promoted.target!.id, userId);
    await call("DELETE", `/v1/members/${userId}`);
    await expect("removeMember", "vic", "role: developer → null");
    await call("PATCH", "/v1/workspace", { name: "Acme Ltd" });
    await expect("renameWorkspace", "acme", "name: Acme → Acme Ltd");
    const invitation = await call("POST", "/v1/invitations", { role: "viewer" });
    const invited = await expect("createInvitation", null, "role: null → viewer");
    assert.equal(invited.target!.id, invitation.id);
    await call("DELETE", `/v1/invitations/${invitation.id}`);
    await expect("deleteInvitation", null, "role: viewer → null");
    const again = await call("POST", "/v1/invitations", { role: "viewer" });
    const { pathname } = new URL(again.url);
    await viewer.submit(await viewer.open(pathname), pathname);
    await expect("acceptInvitation", "vic", "role: null → viewer");
    await own.api("POST", "/v1/workspace/leave", {
      token: null,
      headers: {
        cookie: viewer.cookie,
        "x-workspace": "acme",
        "sec-fetch-site": "same-origin",
      },
    });
    await expect("leaveWorkspace", "vic", "role: viewer → null");

    await call("POST", `${P}/environments`, { name: "staging" });
    await expect("createEnvironment", "staging");
    await call("DELETE", `${P}/environments/staging`);
    await expect("deleteEnvironment", "staging");
    await call("PUT", `${P}/variables/TOKEN`, { value: SECRET, category: "secret", scope: "all" });
    await expect("setVariable", "TOKEN", "scope: null → all", "category: null → secret");
    await call("PUT", `${P}/variables/TOKEN`, {
      value: SECRET,
      category: "secret",
      scope: "preview",
      replaceScope: true,
    });
    await expect("setVariable", "TOKEN", "scope: all → preview");
    await call("POST", `${P}/variables/export`, { environment: "preview" });
    await expect("exportVariables", "preview");
    await call("DELETE", `${P}/variables/TOKEN`);
    await expect("deleteVariable", "TOKEN", "scope: preview → null");
    await call("PUT", `${P}/kv/value`, {
      environment: "production",
      key: "menu/today",
      encoding: "text",
      value: SECRET,
    });
    await expect("setKvValue", "production/menu/today");
    await call("DELETE", `${P}/kv/value?environment=production&key=menu%2Ftoday`);
    await expect("deleteKvValue", "production/menu/today");

    const object = { environment: "production", key: "menu/today" };
    const { url: signed } = await call("POST", `${P}/blobs/sign`, { ...object, method: "PUT" });
    await expect("signBlob", "production/menu/today");
    await fetch(signed, { method: "PUT", body: SECRET });
    await call("POST", `${P}/blobs/copy`, { ...object, to: "copy", toEnvironment: "preview" });
    await expect("copyBlob", "preview/copy");
    await call("DELETE", `${P}/blobs/object?environment=production&key=menu%2Ftoday`);
    await expect("deleteBlob", "production/menu/today");
    const credential = await call("POST", `${P}/blobs/credentials`, { name: "rclone" });
    await expect("createBlobKey", "production/rclone", "isReadOnly: null → false");
    await call("DELETE", `${P}/blobs/credentials/${credential.id}`);
    await expect("deleteBlobKey", "production/rclone");

    const added = await call("POST", `${P}/domains`, {
      hostname: "harbour.example",
      environment: "production",
    });
    const domain = await expect("addDomain", "harbour.example", "environment: null → production");
    assert.equal(domain.target!.id, added.domain.id);
    await call("DELETE", `${P}/domains/${added.domain.id}`);
    await expect("deleteDomain", "harbour.example");

    const first = await deploy(own, "harbour", { files: { "index.html": "one" } });
    const deployed = await expect("activateDeployment", "harbour/production");
    assert.deepEqual(changesOf(deployed), [`productionDeploymentId: null → ${first.id}`]);
    assert.equal(deployed.project, "harbour", "the log can be filtered by project");
    await expect("createDeployment", "harbour/production");
    const second = await deploy(own, "harbour", { files: { "index.html": "two" } });
    await call("POST", `${P}/rollback`, {});
    const back = await newest("rollback");
    assert.deepEqual(changesOf(back), [`productionDeploymentId: ${second.id} → ${first.id}`]);
    await call("POST", `/v1/deployments/${second.id}/promote`);
    const up = await newest("promoteDeployment");
    assert.equal(up.changes[0]?.from, first.id);
    await call("POST", `/v1/deployments/${first.id}/redeploy`);
    assert.equal((await newest("redeployDeployment")).changes.length, 1);
    await call("PATCH", `${P}/previews`, {
      protection: "members",
      password: SECRET,
      maintenance: { allowCidrs: ["192.0.2.1"] },
    });
    await expect(
      "updatePreviewAccess",
      "harbour",
      "protection: off → members",
      "hasPassword: false → true",
    );
    const bypass = await call("POST", `${P}/previews/bypass-key`);
    assert.equal((await expect("createBypassKey", "harbour")).project, "harbour");
    await call("DELETE", `${P}/previews/bypass-key`);
    await expect("deleteBypassKey", "harbour");
    const share = await call("POST", `/v1/deployments/${first.id}/shares`, {});
    const shared = await expect("createShare", "harbour", `deploymentId: null → ${first.id}`);
    assert.equal(shared.target!.id, share.id);
    assert.equal(shared.project, "harbour");
    await call("DELETE", `${P}/previews/shares/${share.id}`);
    assert.equal((await expect("deleteShare", "harbour")).target!.id, share.id);
    await call("POST", `/v1/deployments/${first.id}/stop`, {});
    assert.match(changesOf(await newest("stopDeployment"))[0]!, /^status: [A-Z_]+ → STOPPED$/);
    await call("POST", `${P}/purge`, { type: "tag", tag: "menus" });
    await expect("purgeCache", "tag/menus");

    const rules = { schemaVersion: "EDGE_RULE_SET_V1", rules: [] };
    const published = await own.api("PUT", `${P}/rules`, {
      json: rules,
      headers: { "if-match": '"none"' },
    });
    assert.equal(published.status, 200, JSON.stringify(published.json));
    const ruled = await newest("putRules");
    assert.equal(ruled.target!.id, published.json.revisionId);
    assert.deepEqual(changesOf(ruled), [`revisionId: null → ${published.json.revisionId}`]);

    const hook = await call("POST", "/v1/deploy-hooks", {
      projectId: "harbour",
      name: "forge",
      branch: "trunk",
      scope: "All",
      signed: true,
    });
    await expect("createHook", "forge", "branch: null → trunk", "scope: null → All");
    await call("PATCH", `/v1/deploy-hooks/${hook.id}`, { name: "smithy" });
    await expect("updateHook", "smithy", "name: forge → smithy");
    const renewed = await call("POST", `/v1/deploy-hooks/${hook.id}/regenerate`);
    assert.equal((await expect("regenerateHook", "smithy")).project, "harbour");
    await call("DELETE", `/v1/deploy-hooks/${hook.id}`);
    assert.equal((await expect("deleteHook", "smithy")).target!.id, hook.id);

    const url = `https://receiver.example/${SECRET}`;
    const webhook = await call("POST", "/v1/webhooks", { url, categories: ["Deployment"] });
    await expect("createWebhook", "receiver.example", "events: null → all of Deployment");
    await call("PATCH", `/v1/webhooks/${webhook.id}`, { enabled: false });
    await expect("updateWebhook", "receiver.example", "enabled: true → false");
    const rotated = await call("POST", `/v1/webhooks/${webhook.id}/rotate`);
    await expect("rotateWebhookSecret", "receiver.example");
    await call("DELETE", `/v1/webhooks/${webhook.id}`);
    await expect("deleteWebhook", "receiver.example");
    await call("POST", "/v1/dead-letters/resend-all");
    const resent = await newest("resendWorkspaceDeadLetters");
    assert.deepEqual([resent.target, changesOf(resent)], [null, ["resent: null → 0"]]);

    await call("DELETE", P);
    const gone = await expect("deleteProject", "harbour");
    assert.equal(gone.target!.id, project.id);

    const { items } = await call("GET", "/v1/audit?limit=100");
    const text = JSON.stringify(items);
    for (
      const secret of [
        SECRET,
        key.key,
        bypass.key,
        new URL(share.url).search,
        new URL(invitation.url).pathname,
        new URL(hook.url).pathname,
        hook.secret,
        new URL(renewed.url).pathname,
        webhook.secret,
        rotated.secret,
      ]
    ) {
      assert.ok(!text.includes(secret), "the log contains no secret");
    }
    const page = await ada.open("/workspaces/acme/audit?action=changeMember");
    assert.match(page.html, /<strong>vic<\/strong>/);
    assert.match(page.html, /role: viewer → developer/);
    assert.ok(page.html.includes(userId));
    assert.ok(seen.size > 40, `${seen.size} operations were checked`);
  }));

Deno.test("entries about databases show the database, its branch and the setting", () =>
  withDashboard(async ({ api, own }) => {
    await api("POST", "/v1/projects", { name: "harbour" });
    const at = `${P}/databases`;
    const { json: { id } } = await api("POST", at, { name: "store" });
    const wait = async (): Promise<void> => {
      const { json } = await api("GET", `${at}/store`);
      if (json.state === "creating") await wait();
    };
    await wait();
    await api("PATCH", `${at}/store`, { autoInject: false });
    await api("GET", `${at}/store/connection`);
    const query = await fetch(`${own.url}${at}/store/query`, { method: "POST" });
    await query.body?.cancel();
    await api("POST", `${at}/store/branches`, { name: "trial" });
    await api("DELETE", `${at}/store/branches/trial`);
    await api("DELETE", `${at}/store`);
    const { items } = (await api("GET", "/v1/audit?limit=6")).json;
    const shown = items.map((entry: Entry) =>
      `${entry.action} ${entry.target?.name} ${changesOf(entry).join("; ")}`.trim()
    ).reverse();
    assert.equal(shown[0].startsWith("createDatabase store engine: null → "), true, shown[0]);
    assert.deepEqual(shown.slice(1), [
      "updateDatabase store autoInject: true → false",
      "getDatabaseConnection store/main",
      "createDatabaseBranch store/trial",
      "deleteDatabaseBranch store/trial",
      "deleteDatabase store",
    ]);
    for (const entry of items) {
      if (/Database$/.test(entry.action)) assert.equal(entry.target.id, id);
    }
  }));
