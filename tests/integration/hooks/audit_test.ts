/** Tests audit log entries about deploy hooks. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { withHooks } from "../../helpers/deploy_hooks.ts";

interface Entry {
  readonly action: string;
  readonly summary: string;
  readonly path: string;
  readonly project: string | null;
  readonly user: { readonly name: string } | null;
  readonly credential: { readonly type: string; readonly id: string; readonly name: string };
  readonly address: string;
  readonly requestId: string | null;
}

const SHA = "a".repeat(40);

const closing = (branch: string) => ({
  action: "closed",
  number: 7,
  pull_request: {
    state: "closed",
    head: { ref: branch, repo: { full_name: "ada/site" } },
    base: { ref: "main", repo: { full_name: "ada/site" } },
  },
});

Deno.test("the audit log names the hook that deployed, ended a preview or got a forged signature", () =>
  withHooks(async ({ port, hook, ended, repository, api, trigger }) => {
    const { id, name, url, secret } = await hook({ signed: true });
    const { pathname } = new URL(url);
    const send = async (event: string, body: unknown, key = secret) => {
      const text = JSON.stringify(body);
      const mac = createHmac("sha256", key).update(text).digest("hex");
      const response = await fetch(`http://127.0.0.1:${port}${pathname}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "x-github-event": event,
          "x-hub-signature-256": `sha256=${mac}`,
        },
        body: text,
      });
      return { status: response.status, json: await response.json(), headers: response.headers };
    };
    const entries = async (): Promise<readonly Entry[]> =>
      (await api("GET", "/v1/audit")).json.items.filter(({ credential }: Entry) =>
        credential.type === "hook"
      );

    await repository.commit("menu", { "index.html": "<p>menu</p>" });
    await ended(await send("push", { ref: "refs/heads/menu", after: SHA }));
    const [deployed, ...none] = await entries();
    assert.deepEqual(none, []);
    assert.deepEqual([deployed!.action, deployed!.user, deployed!.path], [
      "triggerHook",
      null,
      `/v1/deploy-hooks/${id} menu`,
    ]);
    assert.deepEqual(deployed!.credential, { type: "hook", id, name });
    assert.match(deployed!.address, /^127\.0\.0\.1$|^::1$/);
    assert.match(deployed!.requestId ?? "", /\S/);

    // Events that change nothing are not recorded.
    await send("push", { ref: "refs/heads/menu", after: SHA });
    await send("ping", {});
    assert.equal((await entries()).length, 1);

    await send("pull_request", closing("menu"));
    await send("pull_request", closing("menu"));
    assert.deepEqual((await entries()).map(({ action }) => action), [
      "stopPreviewByHook",
      "triggerHook",
    ]);

    for (let round = 0; round < 12; round++) {
      assert.equal((await send("push", closing("menu"), "forged")).status, 403);
    }
    const refused = (await entries()).filter(({ action }) => action === "refuseHookCall");
    assert.equal(
      refused.length,
      10,
      "at most 10 entries are recorded per hour, so they cannot displace people's actions",
    );
    assert.match(refused[0]!.summary, /Refuse an unsigned request to a deploy hook/);

    const plain = await hook({});
    await ended(
      await trigger(plain.url, {
        branch: "main",
        commitSha: await repository.git("rev-parse", "main"),
      }),
    );
    assert.equal((await entries())[0]!.path, `/v1/deploy-hooks/${plain.id} main`);
    const all = JSON.stringify((await api("GET", "/v1/audit")).json);
    for (const hidden of [pathname.split("/").at(-1)!, secret]) assert.ok(!all.includes(hidden));
  }));

Deno.test("the audit log shows who created, changed or deleted a hook, and with which credential", () =>
  withHooks(async ({ hook, api }) => {
    const { id } = await hook({});
    await api("PATCH", `/v1/deploy-hooks/${id}`, { json: { name: "other" } });
    await api("POST", `/v1/deploy-hooks/${id}/regenerate`, {});
    await api("DELETE", `/v1/deploy-hooks/${id}`);
    const { items } = (await api("GET", "/v1/audit")).json as { readonly items: readonly Entry[] };
    assert.deepEqual(items.slice(0, 4).map(({ action }) => action), [
      "deleteHook",
      "regenerateHook",
      "updateHook",
      "createHook",
    ]);
    for (const { user, credential } of items.slice(0, 4)) {
      assert.ok(user !== null && credential.type === "api_key");
    }
  }));
