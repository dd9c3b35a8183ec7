import assert from "node:assert/strict";
import { HOOK_TRIGGERS_PER_MINUTE, type TriggerAnswer } from "../../contract/hooks.ts";
import { systemRandom } from "../../lib/clock.ts";
import { commitDeployer } from "../builds/deploy_commit.ts";
import { BuildQueue } from "../builds/queue/build_queue.ts";
import { BuildStore } from "../builds/queue/build_store.ts";
import { Addresses } from "../core/addresses.ts";
import { Failure } from "../core/http/failure.ts";
import { openKeyRing } from "../core/secrets/key_ring.ts";
import { SecretBox } from "../core/secrets/secret_box.ts";
import { moveDeployment } from "../deployments/deployment.ts";
import { DeploymentStore } from "../deployments/deployment_store.ts";
import type { GitService, Resolved } from "../git/mod.ts";
import { until } from "../../lib/_test_until.ts";
import { untilAborted } from "../../lib/_test_until_aborted.ts";
import { testProject } from "../projects/_test_project.ts";
import { ProjectStore } from "../projects/project_store.ts";
import { testVariables } from "../variables/_test_variables.ts";
import { hashHookToken, type HookRecord } from "./hook.ts";
import { HookStore } from "./hook_store.ts";
import { HookUses } from "./hook_uses.ts";
import { ReplayStore } from "./replays.ts";
import { TriggerService } from "./trigger_service.ts";
import { DenoStore } from "../../store/mod.ts";

const START = Date.UTC(2026, 10, 22, 12);
const TOKEN = "ab".repeat(32);
const [OLDER, NEWER] = ["1".repeat(40), "2".repeat(40)];
/** The newest commit on every branch. */
const HEAD = "9".repeat(40);

const PROJECT = testProject({
  gitUrl: "https://git.example/shop.git",
  createdAt: START,
  updatedAt: START,
});

const HOOK: HookRecord = {
  id: "h1",
  workspaceId: PROJECT.workspaceId,
  projectId: PROJECT.id,
  name: "ci",
  branch: "main",
  restrictBranch: false,
  scope: "All",
  tokenHash: hashHookToken(TOKEN),
  secretSalt: null,
  createdAt: START,
  updatedAt: START,
};

interface Trigger {
  readonly commitSha?: string;
  readonly branch?: string;
  readonly force?: boolean;
}

interface TriggerBench {
  readonly clock: { now: number };
  /** Returns git's result. By default, git finds every commit on every branch. */
  git: GitService["resolve"];
  /** Number of calls to git. */
  asked: number;
  readonly hooks: HookStore;
  readonly uses: HookUses;
  readonly builds: BuildStore;
  /** Creates a separate service, as in another process with the same store. */
  service(options?: { readonly resolveMs?: number }): TriggerService;
  trigger(wanted: Trigger, more?: {
    readonly service?: TriggerService;
    readonly idempotencyKey?: string;
    readonly signal?: AbortSignal;
  }): Promise<TriggerAnswer>;
  /** Finishes a deployment, as a worker does before it cleans up the build. */
  endDeployment(answer: TriggerAnswer, as: "LIVE" | "FAILED"): Promise<void>;
  /** Finishes a deployment and its build, as a worker does. */
  end(answer: TriggerAnswer, as: "LIVE" | "FAILED"): Promise<void>;
}

const found = (sha: string): Resolved => ({ type: "found", sha, message: "Fix", author: "Ada" });

async function withTriggers(run: (parts: TriggerBench) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-triggers-" });
  const kv = await DenoStore.open(":memory:");
  const box = new SecretBox(await openKeyRing(`${folder}/keys.json`, systemRandom), systemRandom);
  const clock = { now: START };
  const now = () => clock.now;
  const deployments = new DeploymentStore(kv, () => {});
  const [projects, hooks, builds] = [new ProjectStore(kv), new HookStore(kv), new BuildStore(kv)];
  const uses = new HookUses(kv, (message) => assert.fail(message));
  // No build actually runs. The tests finish builds themselves.
  const buildQueue = new BuildQueue({
    builds,
    worker: { perform: () => Promise.reject(), giveUp: () => Promise.reject() },
    concurrency: 0,
    now,
    onTrouble: (message) => assert.fail(message),
  });
  const addresses = new Addresses({ protocol: "https:", domain: "svc.example", port: "" });
  const deployCommit = commitDeployer({
    deployments,
    builds,
    buildQueue,
    addresses,
    now,
    random: systemRandom,
    variables: testVariables({ kv, box, now }),
    raiseEvent: () => Promise.resolve(),
  });
  const parts: TriggerBench = {
    clock,
    hooks,
    uses,
    builds,
    asked: 0,
    git: (_project, { commitSha = HEAD }) => Promise.resolve(found(commitSha.padEnd(40, "0"))),
    service: (options = {}) =>
      new TriggerService({
        hooks,
        uses,
        projects,
        deployments,
        builds,
        deployCommit,
        addresses,
        box,
        now,
        ...options,
        deploymentService: {
          stop: () => assert.fail("a trigger by a program stops nothing"),
          whenEdgesCurrent: () => Promise.resolve(),
        },
        replays: new ReplayStore(kv, now),
        audit: { deployed: () => Promise.resolve() },
        publicOrigin: "https://svc.example",
        git: {
          resolve(...question) {
            parts.asked++;
            return parts.git(...question);
          },
          branches: () => assert.fail("a trigger lists no branches"),
          check: () => assert.fail("a trigger checks no new repository"),
          filesOf: () => assert.fail("a trigger lists no files"),
          removeMirror: () => assert.fail("a trigger deletes no mirror"),
        },
      }),
    async trigger({ commitSha, branch = "main", force = false }, more = {}) {
      const { service = first, idempotencyKey, signal = new AbortController().signal } = more;
      return await service.trigger(HOOK, {
        idempotencyKey,
        signal,
        visit: { address: "192.0.2.1", requestId: "r1" },
        body: { commitSha, branch, force },
      });
    },
    async endDeployment({ id }, as) {
      const move = (to: "BUILDING" | "DEPLOYING" | "FAILED") =>
        deployments.update(
          [PROJECT.id, id],
          (current) => moveDeployment(current, to, { now: clock.now }),
        );
      await move("BUILDING");
      if (as === "LIVE") {
        const deploying = await move("DEPLOYING");
        await deployments.activate(deploying!, clock.now);
      } else await move("FAILED");
    },
    async end(answer, as) {
      await parts.endDeployment(answer, as);
      const build = await builds.find(PROJECT.id, answer.id);
      const state = as === "LIVE" ? "SUCCEEDED" : "FAILED";
      await builds.finish(build!, { state, error: null, finishedAt: clock.now });
    },
  };
  const first = parts.service();
  try {
    assert.ok(await projects.create(PROJECT));
    assert.ok(await hooks.create(HOOK));
    await run(parts);
  } finally {
    await uses.settled();
    kv.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Checks that a trigger or another call fails as expected. */
const failure = (code: Failure["code"], message: RegExp) => (error: unknown): boolean => {
  assert.ok(error instanceof Failure, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, message);
  return true;
};

Deno.test("TriggerService.trigger() returns the existing deployment for an identical commit", () =>
  withTriggers(async (parts) => {
    const { trigger, end, uses } = parts;
    const first = await trigger({ commitSha: OLDER });
    assert.deepEqual([first.status, first.isPreview], ["PENDING", false]);
    assert.equal(parts.asked, 1);
    const building = await trigger({ commitSha: OLDER });
    assert.equal(building.id, first.id, "the deployment is still in progress");
    await end(first, "LIVE");
    const live = await trigger({ commitSha: OLDER });
    assert.deepEqual([live.id, live.status], [first.id, "LIVE"]);
    assert.match(live.message, /^Nothing new to deploy: /);
    assert.equal(parts.asked, 1, "git is not queried for a known full SHA");
    parts.git = () => Promise.resolve(found(OLDER));
    assert.equal((await trigger({ commitSha: OLDER.slice(0, 7) })).id, first.id, "a short SHA");
    assert.equal(parts.asked, 2);
    const preview = await trigger({ commitSha: OLDER, branch: "menu" });
    assert.notEqual(preview.id, first.id, "another branch has a separate deployment");
    assert.equal((await uses.of(HOOK.id)).count, 5);
  }));

Deno.test("TriggerService.trigger() redeploys a commit that is no longer served", () =>
  withTriggers(async ({ trigger, end }) => {
    const deploy = async (commitSha: string) => {
      const answer = await trigger({ commitSha });
      await end(answer, "LIVE");
      return answer.id;
    };
    const older = await deploy(OLDER);
    await deploy(NEWER);
    const reverted = await trigger({ commitSha: OLDER });
    assert.notEqual(reverted.id, older);
    await end(reverted, "FAILED");
    const retried = await trigger({ commitSha: OLDER });
    assert.notEqual(retried.id, reverted.id, "a failed deployment does not count");
  }));

Deno.test("TriggerService.trigger() accepts another commit as soon as a deployment has finished", () =>
  withTriggers(async ({ trigger, endDeployment, builds }) => {
    const first = await trigger({ commitSha: OLDER });
    const building = await builds.find(PROJECT.id, first.id);
    await assert.rejects(trigger({ commitSha: NEWER }), failure("conflict", /is still building/));
    await endDeployment(first, "LIVE");
    const second = await trigger({ commitSha: NEWER });
    await builds.finish(building!, { state: "SUCCEEDED", error: null, finishedAt: START });
    const busy = failure("conflict", new RegExp(`Deployment ${second.id} `));
    await assert.rejects(trigger({ commitSha: HEAD }), busy, "the second trigger has the branch");
    await endDeployment(second, "FAILED");
    const third = await trigger({ commitSha: HEAD });
    assert.equal((await builds.find(PROJECT.id, third.id))?.state, "QUEUED");
  }));

Deno.test("TriggerService.trigger() with force deploys again, unless another commit is being built", () =>
  withTriggers(async ({ trigger, end }) => {
    const first = await trigger({ commitSha: OLDER });
    const forced = await trigger({ commitSha: OLDER, force: true });
    assert.notEqual(forced.id, first.id, "even while the same commit is in progress");
    await assert.rejects(
      trigger({ commitSha: NEWER, force: true }),
      failure("conflict", /is still building commit 1{40}/),
    );
    await end(first, "LIVE");
    await end(forced, "LIVE");
    const again = await trigger({ commitSha: OLDER, force: true });
    assert.ok(![first.id, forced.id].includes(again.id));
  }));

Deno.test("TriggerService.trigger() repeats its response for an Idempotency-Key", () =>
  withTriggers(async ({ trigger }) => {
    const wanted = { commitSha: OLDER, force: true };
    const first = await trigger(wanted, { idempotencyKey: "run-1" });
    const again = await trigger(wanted, { idempotencyKey: "run-1" });
    assert.equal(again.id, first.id, "even if it is forced");
    const other = await trigger(wanted, { idempotencyKey: "run-2" });
    assert.notEqual(other.id, first.id);
    await assert.rejects(
      trigger({ ...wanted, commitSha: NEWER }, { idempotencyKey: "run-1" }),
      failure("conflict", /a different body/),
    );
  }));

Deno.test("TriggerService.admit() counts calls, and admits more after a minute", () =>
  withTriggers(async ({ service, clock }) => {
    const triggers = service();
    const request = new Request("https://svc.example/v1/hooks/token", { method: "POST" });
    const admit = (token: string) => triggers.admit(token, request);
    await assert.rejects(admit("cd".repeat(32)), failure("unauthorized", /^Invalid token$/));
    for (let count = 0; count < HOOK_TRIGGERS_PER_MINUTE; count++) await admit(TOKEN);
    await assert.rejects(admit(TOKEN), (error: Failure) => {
      assert.equal(error.retryAfter, 60);
      return failure("rate_limited", /^The hook accepts at most 30 triggers per minute/)(error);
    });
    clock.now += 60_000;
    assert.equal((await admit(TOKEN)).id, HOOK.id);
  }));

for (
  const { name, other } of [
    { name: "in one process", other: ({ service }: TriggerBench) => [service(), undefined] },
    { name: "in two processes", other: ({ service }: TriggerBench) => [service(), service()] },
  ]
) {
  Deno.test(`two simultaneous calls to TriggerService.trigger() ${name} create one deployment`, () =>
    withTriggers(async (parts) => {
      const [one, two = one] = other(parts);
      const gate = Promise.withResolvers<void>();
      const both = Promise.withResolvers<void>();
      let resolving = 0;
      parts.git = async (_project, { commitSha }) => {
        if (++resolving === (one === two ? 1 : 2)) both.resolve();
        await gate.promise;
        return found(commitSha ?? HEAD);
      };
      const answers = [one!, two!].map((service) =>
        parts.trigger({ commitSha: OLDER }, { service })
      );
      await both.promise;
      gate.resolve();
      const [first, second] = await Promise.all(answers);
      assert.equal(first!.id, second!.id);
      const builds = await parts.builds.list(PROJECT.id, { limit: 10 });
      assert.deepEqual(builds.items.map(({ id }) => id), [first!.id]);
    }));
}

Deno.test("TriggerService.trigger() refuses one of two simultaneous commits to a branch", () =>
  withTriggers(async ({ trigger, service, builds }) => {
    const settled = await Promise.allSettled([
      trigger({ commitSha: OLDER }, { service: service() }),
      trigger({ commitSha: NEWER }, { service: service() }),
    ]);
    const refused = settled.filter((each) => each.status === "rejected");
    assert.equal(refused.length, 1);
    failure("conflict", /is still building commit/)(refused[0]!.reason);
    assert.equal((await builds.list(PROJECT.id, { limit: 10 })).items.length, 1);
  }));

Deno.test("TriggerService.trigger() reports an unreachable repository as a missing branch", () =>
  withTriggers(async (parts) => {
    parts.git = () => Promise.resolve({ type: "unreachable", reason: "no route to host" });
    await assert.rejects(parts.trigger({ commitSha: OLDER }), (error: Failure) => {
      const message = "Its repository cannot be reached: no route to host";
      assert.deepEqual(error.problems, [{ path: "project", message }]);
      return failure("not_found", /^Branch not found$/)(error);
    });
    assert.deepEqual((await parts.builds.list(PROJECT.id, { limit: 10 })).items, []);
    assert.equal((await parts.uses.of(HOOK.id)).count, 0, "refused triggers do not count as uses");
  }));

Deno.test("TriggerService.trigger() can stop waiting for git while another call keeps waiting", () =>
  withTriggers(async (parts) => {
    const late = failure("unavailable", /^The repository is still being fetched/);
    const fetched = Promise.withResolvers<void>();
    parts.git = async (_project, { commitSha }) => {
      await fetched.promise;
      return found(commitSha ?? HEAD);
    };
    const leaving = new AbortController();
    const service = parts.service();
    const left = parts.trigger({ commitSha: OLDER }, { service, signal: leaving.signal });
    const stayed = parts.trigger({ commitSha: OLDER }, { service });
    const refused = assert.rejects(left, late);
    await until(() => parts.asked > 0);
    // A trigger queries git after a few reads. After these reads, both triggers are waiting for
    // git.
    for (let read = 0; read < 20; read++) await parts.uses.of(HOOK.id);
    leaving.abort();
    await refused;
    fetched.resolve();
    assert.equal((await stayed).status, "PENDING");
    assert.equal(parts.asked, 1, "both calls share one request");

    parts.git = (_project, _wanted, signal) => untilAborted(signal);
    const hasty = parts.service({ resolveMs: 1 });
    await assert.rejects(
      parts.trigger({ commitSha: OLDER, branch: "menu" }, { service: hasty }),
      late,
    );
  }));
