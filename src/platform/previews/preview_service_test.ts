import assert from "node:assert/strict";
import { systemRandom } from "../../lib/clock.ts";
import { DenoStore } from "../../store/mod.ts";
import { Passwords } from "../accounts/mod.ts";
import { Addresses } from "../core/addresses.ts";
import { testProject } from "../projects/_test_project.ts";
import { ProjectStore } from "../projects/project_store.ts";
import { AccessTable } from "./access_table.ts";
import { PreviewService } from "./preview_service.ts";

const PROJECT = testProject();

Deno.test("PreviewService applies changes, and other nodes apply them when they are notified", async () => {
  const kv = await DenoStore.open(":memory:");
  try {
    await new ProjectStore(kv).create(PROJECT, "members");
    const addresses = new Addresses({ protocol: "http:", domain: "localhost", port: "" });
    const feed = { publish: () => Promise.resolve() };
    const newTable = () => new AccessTable({ kv, addresses, feed });
    const [table, other] = [newTable(), newTable()];
    const service = new PreviewService({
      kv,
      table,
      addresses,
      passwords: new Passwords(systemRandom, { n: 16, r: 1, p: 1 }),
      now: () => 1000,
      random: systemRandom,
    });
    const here = await table.of(PROJECT.id, PROJECT.workspaceId);
    const there = await other.of(PROJECT.id, PROJECT.workspaceId);
    assert.equal(
      here.facts.protection,
      "members",
      "a project starts with the settings that it was created with",
    );

    await service.update(PROJECT, { protection: "password", password: "open sesame" });
    assert.equal(here.facts.protection, "password");
    const { passwordId } = here.facts;
    assert.notEqual(passwordId, null);
    assert.equal(there.facts.protection, "members");
    await other.refresh(PROJECT.id);
    assert.equal(there.facts.protection, "password");
    assert.equal(there.facts.passwordId, passwordId);

    const key = await service.createBypassKey(PROJECT);
    assert.ok(here.isBypassKey(key) && !there.isBypassKey(key));
    await other.refreshAll();
    assert.ok(there.isBypassKey(key));
    await service.deleteBypassKey(PROJECT);
    assert.ok(!here.isBypassKey(key));

    await service.update(PROJECT, { maintenance: { allowCidrs: ["192.0.2.0/24"] } });
    assert.ok(here.allowsInMaintenance("192.0.2.7"));
    await assert.rejects(
      service.update(PROJECT, { allowCidrs: ["192.0.2.0/99"] }),
      /is not an IP address or CIDR/,
    );
    const settings = await service.read(PROJECT);
    assert.equal(settings.maintenance?.since, new Date(1000).toISOString());
    assert.equal(settings.hasPassword, true);
    assert.ok(!JSON.stringify(settings).includes("sesame"));
  } finally {
    kv.close();
  }
});
