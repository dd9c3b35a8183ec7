/**
 * Causes faults in the platform's own folders. The operator's log must contain the folders' paths,
 * but clients must never see them.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { FILES, MANIFEST } from "../../helpers/compute_site.ts";
import { create, createProject, upload, withPlatform } from "../../helpers/platform.ts";

Deno.test("a server whose files cannot be created does not reveal any platform paths", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const created = await create(platform, "shop", { files: FILES, manifest: MANIFEST });
    await upload(platform, FILES);
    await Deno.remove(join(platform.dataDir, "compute"), { recursive: true }).catch(() => {});
    await Deno.writeTextFile(join(platform.dataDir, "compute"), "no folder");
    const { id } = created.json.deployment;
    const refused = await platform.api("POST", `/v1/deployments/${id}/activate`);
    const shown = await platform.api("GET", `/v1/deployments/${id}`);
    assert.match(refused.json.error, /did not start: the platform cannot prepare it/);
    assert.match(shown.json.error, /did not start/);
    for (const { json } of [refused, shown]) {
      assert.ok(!JSON.stringify(json).includes(platform.dataDir), JSON.stringify(json));
    }
    assert.ok(
      platform.logged.some((line) => line.includes("Cannot prepare a server") && line.includes(id)),
    );
  }));
