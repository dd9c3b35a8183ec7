import assert from "node:assert/strict";
import { sha256Hex } from "../../lib/hash.ts";
import { Failure } from "../core/http/failure.ts";
import { keys } from "../core/store/keys.ts";
import { encode, withService } from "./_test_service.ts";
import { writeContent } from "./content.ts";
import { ServerNotReadyError } from "./running_code.ts";

const FUNCTION = "export default () => {}";

const refusal = (code: Failure["code"], message: RegExp) => (error: unknown): true => {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

/**
 * Creates a server that starts only when the test allows it, and that reports when it should start.
 */
function heldServer() {
  const starting = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  return {
    prepare: () => {
      starting.resolve();
      return held.promise;
    },
    starting: starting.promise,
    release: () => held.resolve(),
  };
}

Deno.test("DeploymentService.activate() switches production once its server listens", () =>
  withService(async ({ service, add, shownAt, project, happened, hooks, hosts }) => {
    await service.activate(await add("d1"));
    happened.length = 0;
    hooks.prepare = () => {
      assert.equal(hosts.get("shop.localhost"), "d1", "the old server still responds");
      return Promise.resolve();
    };
    const live = await service.activate(await add("d2"));
    assert.equal(live.status, "LIVE");
    for (const label of ["shop-d2", "shop-git-main", "shop"]) {
      assert.equal(await shownAt(label), "d2");
    }
    assert.equal(await shownAt("shop-d1"), "d1");
    assert.deepEqual((await project()).productionHistory, ["d1", "d2"]);
    assert.deepEqual(happened, ["prepare d2", "retire d1", "deployment.live d2"]);
  }));

Deno.test("DeploymentService.activate() serves a new host as soon as LIVE is stored", () =>
  withService(async ({ service, add, find, hosts, hooks }) => {
    await service.activate(await add("d1"));
    hooks.purge = async () => {
      assert.equal((await find("d2")).status, "LIVE");
      assert.equal(hosts.get("shop-d2.localhost"), "d2", "the new host responds");
      assert.equal(
        hosts.get("shop.localhost"),
        "d1",
        "the old server responds until the new one is ready",
      );
    };
    await service.activate(await add("d2"));
    assert.equal(hosts.get("shop.localhost"), "d2");
  }));

Deno.test("DeploymentService.activate() does not change production for a preview", () =>
  withService(async ({ service, add, shownAt, project, happened }) => {
    await service.activate(await add("d1"));
    happened.length = 0;
    await service.activate(await add("d2", { environment: "preview", branchLabel: "shop-git-x" }));
    assert.equal(await shownAt("shop"), "d1");
    assert.equal(await shownAt("shop-git-x"), "d2");
    assert.deepEqual((await project()).productionHistory, ["d1"]);
    assert.deepEqual(happened, ["deployment.live d2"]);
  }));

Deno.test("DeploymentService.activate() changes nothing for a live deployment", () =>
  withService(async ({ service, add, find, happened }) => {
    const live = await service.activate(await add("d1"));
    happened.length = 0;
    assert.equal(await service.activate(live), live);
    assert.deepEqual(await find("d1"), live);
    assert.deepEqual(happened, []);
  }));

Deno.test("DeploymentService.activate() seals functions and stores them", () =>
  withService(async ({ service, add, blobs }) => {
    const source = encode(FUNCTION);
    const received = { name: "hello", sha256: sha256Hex(source), size: source.byteLength };
    await blobs.put(received.sha256, source);
    const contentSha = await writeContent(blobs, {
      manifest: { version: 1, layers: [], routes: [] },
      files: [],
      functions: [received],
      rules: null,
    });
    const { functions } = await service.activate(await add("d1", { contentSha }));
    assert.deepEqual(functions.map(({ name }) => name), ["hello"]);
    const stored = new TextDecoder().decode(await blobs.read(functions[0]!.sha256));
    assert.equal(stored, `sealed hello: ${FUNCTION}`);
  }));

Deno.test("DeploymentService.activate() waits for missing blobs, and can be repeated", () =>
  withService(async ({ service, add, find, blobs, shownAt }) => {
    const late = encode("late");
    const file = { path: "late", sha256: sha256Hex(late), size: late.byteLength };
    const contentSha = await writeContent(blobs, {
      manifest: { version: 1, layers: [], routes: [] },
      files: [file],
      functions: [],
      rules: null,
    });
    const deployment = await add("d1", { contentSha });
    await assert.rejects(service.activate(deployment), (error) => {
      refusal("blobs_missing", /1 of the deployment's blobs/)(error);
      assert.deepEqual((error as Failure).problems, [{ path: file.sha256, message: "Missing" }]);
      return true;
    });
    assert.equal((await find("d1")).status, "PENDING");
    await blobs.put(file.sha256, late);
    await service.activate(deployment);
    assert.equal(await shownAt("shop"), "d1");
  }));

for (
  const [name, content, code, message] of [
    ["without content", { contentSha: null }, "conflict", /not built yet/],
    ["that has expired", { status: "FAILED" }, "conflict", /from FAILED to DEPLOYING/],
  ] as const
) {
  Deno.test(`DeploymentService.activate() refuses a deployment ${name}`, () =>
    withService(async ({ service, add, find, shownAt }) => {
      const deployment = await add("d1", content);
      await assert.rejects(service.activate(deployment), refusal(code, message));
      assert.deepEqual(await find("d1"), deployment);
      assert.equal(await shownAt("shop"), undefined);
    }));
}

Deno.test("DeploymentService.activate() refuses a hostname that another project uses", () =>
  withService(async ({ service, add, kv, find }) => {
    await kv.set(keys.host("shop-git-main"), { projectId: "p2", deploymentId: null });
    const activated = service.activate(await add("d1"));
    await assert.rejects(activated, refusal("conflict", /"shop-git-main" was just taken/));
    assert.equal((await find("d1")).status, "DEPLOYING");
  }));

Deno.test("DeploymentService.activate() can be repeated if the server did not start", () =>
  withService(async ({ service, add, find, hooks, happened, shownAt }) => {
    await service.activate(await add("d1"));
    happened.length = 0;
    hooks.prepare = () => Promise.reject(new ServerNotReadyError("Exited with 1", ["oops"]));
    const deployment = await add("d2");
    await assert.rejects(service.activate(deployment), refusal("conflict", /Exited with 1/));
    assert.deepEqual(happened, ["prepare d2", "remove d2"]);
    assert.equal((await find("d2")).status, "DEPLOYING");
    assert.equal(await shownAt("shop"), "d1");
    hooks.prepare = () => Promise.resolve();
    await service.activate(await find("d2"));
    assert.equal(await shownAt("shop"), "d2");
  }));

Deno.test("DeploymentService.activateOrFail() fails a deployment whose server did not start", () =>
  withService(async ({ service, add, find, hooks, happened, shownAt }) => {
    hooks.prepare = () => Promise.reject(new ServerNotReadyError("Exited with 1", ["oops"]));
    const activated = service.activateOrFail(await add("d1"));
    await assert.rejects(activated, refusal("conflict", /Exited with 1/));
    const failed = await find("d1");
    assert.equal(failed.status, "FAILED");
    assert.match(failed.error ?? "", /Exited with 1/);
    assert.deepEqual(happened, ["prepare d1", "remove d1", "deployment.failed d1"]);
    hooks.prepare = () => Promise.resolve();
    await assert.rejects(service.activateOrFail(failed), refusal("conflict", /from FAILED/));
    assert.equal(await shownAt("shop"), undefined);
  }));

Deno.test("DeploymentService.activate() makes a deployment live only once, even if called twice in parallel", () =>
  withService(async ({ service, add, hooks, happened, project, shownAt }) => {
    const server = heldServer();
    hooks.prepare = server.prepare;
    const deployment = await add("d1");
    const both = [service.activate(deployment), service.activate(deployment)];
    await server.starting;
    server.release();
    const outcomes = await Promise.allSettled(both);
    assert.deepEqual(outcomes.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
    assert.deepEqual((await project()).productionHistory, ["d1"]);
    assert.equal(await shownAt("shop"), "d1");
    assert.deepEqual(happened.filter((what) => !what.startsWith("prepare")), [
      "deployment.live d1",
    ], "the live deployment's server is not removed");
  }));

Deno.test("DeploymentService.stop() overrides an activation whose server is still starting", () =>
  withService(async ({ service, add, find, hooks, happened, project, hosts }) => {
    const server = heldServer();
    hooks.prepare = server.prepare;
    const deployment = await add("d1");
    const activated = service.activate(deployment);
    await server.starting;
    await service.stop(deployment, await project());
    happened.length = 0;
    server.release();
    await assert.rejects(activated, refusal("conflict", /from STOPPED to LIVE/));
    assert.deepEqual(happened, ["remove d1"], "the started server is stopped");
    assert.equal((await find("d1")).status, "STOPPED");
    assert.deepEqual((await project()).productionHistory, []);
    assert.equal(hosts.size, 0);
  }));

Deno.test("DeploymentService.stop() takes an earlier deployment offline permanently", () =>
  withService(async ({ service, add, happened, project, shownAt }) => {
    const first = await service.activate(await add("d1"));
    await service.activate(await add("d2"));
    happened.length = 0;
    const stopped = await service.stop(first, await project());
    assert.equal(stopped.status, "STOPPED");
    assert.deepEqual(happened, ["end build of d1", "remove d1", "deployment.stopped d1"]);
    assert.equal(await shownAt("shop-d1"), undefined);
    assert.equal(await shownAt("shop"), "d2");
    assert.deepEqual((await project()).productionHistory, ["d2"]);
    assert.equal(await service.stop(stopped, await project()), stopped);
    assert.equal(happened.length, 3, "a second stop changes nothing");
  }));

Deno.test("DeploymentService.stop() refuses the production deployment", () =>
  withService(async ({ service, add, project, shownAt }) => {
    const live = await service.activate(await add("d1"));
    const stopped = service.stop(live, await project());
    await assert.rejects(stopped, refusal("conflict", /the production deployment/));
    assert.equal(await shownAt("shop"), "d1");
  }));

Deno.test("DeploymentService.stop() with unlessLive keeps a deployment that went live in the meantime", () =>
  withService(async ({ service, add, find, project, shownAt }) => {
    const pending = await add("d1", { environment: "preview" });
    const before = await project();
    await service.activate(pending);
    const stopped = service.stop(pending, before, { unlessLive: true });
    await assert.rejects(stopped, refusal("conflict", /d1 is live/));
    assert.equal((await find("d1")).status, "LIVE");
    assert.equal(await shownAt("shop-d1"), "d1");
  }));

Deno.test("DeploymentService.rollBack() starts and serves the previous deployment", () =>
  withService(async ({ service, add, find, happened, project, shownAt }) => {
    await service.activate(await add("d1"));
    await service.activate(await add("d2"));
    happened.length = 0;
    const { live, undone } = await service.rollBack(await project(), {});
    assert.deepEqual([live.id, live.status], ["d1", "LIVE"]);
    assert.deepEqual([undone.id, undone.status], ["d2", "ROLLED_BACK"]);
    assert.deepEqual(happened, ["prepare d1", "retire d2", "deployment.rolled_back d2"]);
    assert.equal(await shownAt("shop"), "d1");
    assert.equal(await shownAt("shop-d2"), "d2");
    assert.deepEqual((await project()).productionHistory, ["d1"]);
    assert.equal((await find("d2")).status, "ROLLED_BACK");
  }));

Deno.test("two simultaneous calls to DeploymentService.rollBack() undo one deployment", () =>
  withService(async ({ service, add, hooks, project, shownAt }) => {
    for (const id of ["d1", "d2", "d3"]) await service.activate(await add(id));
    const server = heldServer();
    hooks.prepare = server.prepare;
    const before = await project();
    const both = [service.rollBack(before, {}), service.rollBack(before, {})];
    await server.starting;
    server.release();
    const outcomes = await Promise.allSettled(both);
    const refused = outcomes.filter((each) => each.status === "rejected");
    assert.equal(refused.length, 1);
    refusal("conflict", /Production has just changed/)(refused[0]!.reason);
    assert.equal(refused[0]!.reason.retryAfter, 1);
    assert.equal(await shownAt("shop"), "d2");
    assert.deepEqual((await project()).productionHistory, ["d1", "d2"]);
  }));

Deno.test("DeploymentService.rollBack() yields to a deployment that went live in the meantime", () =>
  withService(async ({ service, add, find, hooks, project, shownAt }) => {
    for (const id of ["d1", "d2"]) await service.activate(await add(id));
    const server = heldServer();
    hooks.prepare = ({ id }) => id === "d1" ? server.prepare() : Promise.resolve();
    const rolledBack = service.rollBack(await project(), {});
    await server.starting;
    await service.activate(await add("d3"));
    server.release();
    await assert.rejects(rolledBack, refusal("conflict", /Production has just changed/));
    assert.equal(await shownAt("shop"), "d3");
    assert.equal((await find("d2")).status, "LIVE");
    assert.deepEqual((await project()).productionHistory, ["d1", "d2", "d3"]);
  }));

Deno.test("DeploymentService.rollBack() yields to a stop that is in progress", () =>
  withService(async ({ service, add, find, hooks, project, shownAt }) => {
    for (const id of ["d1", "d2"]) await service.activate(await add(id));
    const server = heldServer();
    hooks.prepare = server.prepare;
    const rolledBack = service.rollBack(await project(), {});
    await server.starting;
    const [stored, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    hooks.stopped = () => {
      stored.resolve();
      return held.promise;
    };
    const stopped = service.stop(await find("d1"), await project());
    await stored.promise;
    server.release();
    await assert.rejects(rolledBack, refusal("conflict", /Production has just changed/));
    held.resolve();
    await stopped;
    assert.equal(await shownAt("shop"), "d2");
  }));

Deno.test("DeploymentService.rollBack() yields to a stop of its target", () =>
  withService(async ({ service, add, find, hooks, project, shownAt }) => {
    for (const id of ["d1", "d2"]) await service.activate(await add(id));
    const server = heldServer();
    hooks.prepare = server.prepare;
    const rolledBack = service.rollBack(await project(), {});
    await server.starting;
    await service.stop(await find("d1"), await project());
    server.release();
    await assert.rejects(rolledBack, refusal("conflict", /Production has just changed/));
    assert.equal(await shownAt("shop"), "d2");
    assert.equal((await find("d1")).status, "STOPPED");
  }));

for (
  const [name, wanted, code, message] of [
    [
      "without an earlier deployment",
      {},
      "conflict",
      /There is no earlier deployment to roll back to/,
    ],
    [
      "of a deployment that is not live",
      { undo: "d2" },
      "conflict",
      /d2 is not live in production: d1 is/,
    ],
    ["to the live deployment", { to: "d1" }, "conflict", /d1 is already live/],
    ["to a missing deployment", { to: "d9" }, "not_found", /d9 does not exist/],
    ["to a preview", { to: "d2" }, "conflict", /d2 is a preview/],
    ["to a deployment that was never live", { to: "d3" }, "conflict", /d3 is PENDING/],
  ] as const
) {
  Deno.test(`DeploymentService.rollBack() refuses a rollback ${name}`, () =>
    withService(async ({ service, add, project, shownAt }) => {
      await service.activate(await add("d1"));
      await service.activate(
        await add("d2", { environment: "preview", branchLabel: "shop-git-x" }),
      );
      await add("d3");
      await assert.rejects(service.rollBack(await project(), wanted), refusal(code, message));
      assert.equal(await shownAt("shop"), "d1");
    }));
}

/** Checks with one request, and possible outcomes. */
const CHECKS = { checks: { requests: [{ name: "Start page", url: "/", expect: {} }] } };
const result = (passed: boolean) => ({
  kind: "request" as const,
  name: "Start page",
  passed,
  attempts: 1,
  durationMs: 1,
  problem: passed ? null : "Expected status 200 to 399, received 500",
});

Deno.test("DeploymentService.activate() moves production once all checks pass", () =>
  withService(async ({ service, add, shownAt, hooks, hosts, find }) => {
    await service.activate(await add("d1"));
    hooks.check = async ({ id }) => {
      assert.equal(hosts.get("shop-d2.localhost"), id, "its own host serves it");
      assert.equal(hosts.get("shop.localhost"), "d1", "production does not");
      assert.deepEqual((await find("d2")).checks, { state: "RUNNING", results: [] });
      return [result(true)];
    };
    const live = await service.activate(await add("d2", {}, CHECKS));
    assert.deepEqual(live.checks, { state: "PASSED", results: [result(true)] });
    assert.equal(await shownAt("shop"), "d2");
  }));

Deno.test("DeploymentService.activateOrFail() does not change production if a check fails", () =>
  withService(async ({ service, add, shownAt, hooks, find, project, happened }) => {
    await service.activate(await add("d1"));
    hooks.check = () => Promise.resolve([result(true), result(false)]);
    happened.length = 0;
    await assert.rejects(
      service.activateOrFail(await add("d2", {}, CHECKS)),
      refusal("conflict", /^1 of 2 checks failed: Start page: Expected status 200 to 399/),
    );
    const failed = await find("d2");
    assert.equal(failed.status, "FAILED");
    assert.match(failed.error ?? "", /Production did not change$/);
    assert.deepEqual(failed.checks?.state, "FAILED");
    assert.deepEqual([await shownAt("shop"), await shownAt("shop-d2")], ["d1", undefined]);
    assert.deepEqual((await project()).productionHistory, ["d1"]);
    assert.deepEqual(happened, ["prepare d2", "remove d2", "deployment.failed d2"]);
  }));

Deno.test("DeploymentService.activate() does not check previews, and checks once for two requests", () =>
  withService(async ({ service, add, hooks }) => {
    await service.activate(
      await add("d1", { environment: "preview", branchLabel: "shop-git-x" }, CHECKS),
    );
    let checked = 0;
    const held = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    hooks.check = async () => {
      checked++;
      begun.resolve();
      await held.promise;
      return [result(true)];
    };
    const release = await add("d2", {}, CHECKS);
    const first = service.activate(release);
    await begun.promise;
    const second = service.activate(release).catch((error) => error);
    held.resolve();
    assert.equal((await first).status, "LIVE");
    await second;
    assert.equal(checked, 1);
  }));
