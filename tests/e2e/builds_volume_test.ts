/**
 * Sends many triggers at once, with real builds. `TRIGGERS=200` uses twenty projects. Regular test
 * runs use fewer triggers.
 */
import assert from "node:assert/strict";
import { peakMemory } from "../../scripts/bench/_bench_place.ts";
import { makeRepository } from "../../src/lib/_test_git.ts";
import { callApi, type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { until } from "../../src/lib/_test_until.ts";
import { testNeeding } from "../helpers/empty_root.ts";
import { stopServer } from "../../src/lib/stop_server.ts";

const test = testNeeding("git", "sh");

const TRIGGERS = Number(Deno.env.get("TRIGGERS") ?? 12);
const PROJECTS = TRIGGERS < 100 ? 4 : 20;
/**
 * Each project gets the same number of triggers, each for a different branch. A hook accepts 30 per
 * minute.
 */
const BRANCHES = Math.floor(TRIGGERS / PROJECTS);
const CONCURRENCY = 2;
/** Maximum time to wait for a build, in milliseconds. The machine is busy with other builds. */
const PATIENCE_MS = 10_000;
const MOST_MEMORY = 500_000_000;

interface Built {
  readonly id: string;
  readonly state: string;
  readonly branch: string;
  readonly queuedAt: string;
  readonly startedAt: string;
  readonly finishedAt: string;
}

/** Starts a server that records each build when the build reports that it has started. */
function countBuilds() {
  const begun: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    begun.push(new URL(request.url).pathname.slice(1));
    return new Response("noted\n");
  });
  return {
    begun,
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: () => stopServer(server),
  };
}

async function makeProject(box: Sandbox, name: string, settings: Record<string, string>) {
  await callApi(box, "POST", "/v1/projects", { name, outputDirectory: "out", ...settings });
  const hook = { projectId: name, name: "ci", branch: "main", scope: "All" };
  return new URL((await callApi(box, "POST", "/v1/deploy-hooks", hook)).url).pathname;
}

async function buildsOf(box: Sandbox, project: string): Promise<readonly Built[]> {
  return (await callApi(box, "GET", `/v1/projects/${project}/builds?limit=100`)).items;
}

/** Returns the highest number of builds that ran at the same time. */
function busiest(builds: readonly Built[]): number {
  const moments = builds.flatMap(({ startedAt, finishedAt }) => [
    { at: startedAt, change: 1 },
    { at: finishedAt, change: -1 },
  ]).sort((a, b) => a.at < b.at ? -1 : a.at > b.at ? 1 : a.change - b.change);
  let [running, most] = [0, 0];
  for (const { change } of moments) most = Math.max(most, running += change);
  return most;
}

const seconds = (from: number, to = performance.now()) => `${((to - from) / 1000).toFixed(1)} s`;

test(`${BRANCHES * PROJECTS} simultaneous triggers are built once each, in order`, async () => {
  await withSandbox(async (box) => {
    await using counter = countBuilds();
    const repository = await makeRepository(box.folder, "repository");
    const commits: { readonly branch: string; readonly commitSha: string }[] = [];
    for (let index = 0; index < BRANCHES; index++) {
      const branch = `b${index}`;
      commits.push({ branch, commitSha: await repository.commit(branch, { "name.txt": branch }) });
    }
    await box.start(["--git-root", box.folder, "--build-concurrency", `${CONCURRENCY}`]);
    const names = Array.from({ length: PROJECTS }, (_, index) => `p${index}`);
    const hooks: string[] = [];
    for (const name of names) {
      hooks.push(
        await makeProject(box, name, {
          gitUrl: repository.path,
          buildCommand: `curl -s ${counter.url}/$SVC_DEPLOYMENT_ID; mkdir out; ` +
            `echo "${name} $(cat name.txt)" > out/index.html`,
        }),
      );
    }
    const started = performance.now();
    // Sends a project's triggers one after another, because otherwise there would be no order to
    // preserve.
    const answers = (await Promise.all(hooks.map(async (hook) => {
      const own = [];
      for (const commit of commits) own.push(await callApi(box, "POST", hook, commit));
      return own;
    }))).flat();
    const accepted = performance.now();
    assert.equal(new Set(answers.map(({ id }) => id)).size, BRANCHES * PROJECTS);
    for (const { statusUrl } of answers) {
      const path = new URL(statusUrl).pathname;
      const { status } = await until(
        () => callApi(box, "GET", path),
        ({ status }) => ["LIVE", "FAILED", "STOPPED"].includes(status),
        PATIENCE_MS * answers.length,
      );
      assert.equal(status, "LIVE");
    }
    const ended = performance.now();
    const memory = peakMemory(box.platform!.pid);

    assert.deepEqual([...counter.begun].sort(), answers.map(({ id }) => id).sort());
    const all: Built[] = [];
    for (const name of names) {
      const builds = [...await buildsOf(box, name)];
      all.push(...builds);
      assert.equal(builds.length, BRANCHES, name);
      assert.ok(builds.every(({ state }) => state === "SUCCEEDED"));
      const starts = commits.map(({ branch }) =>
        builds.find((build) => build.branch === branch)!.startedAt
      );
      assert.deepEqual(starts, [...starts].sort(), `${name} is built in the order of its triggers`);
    }
    assert.ok(busiest(all) <= CONCURRENCY, `${busiest(all)} builds at the same time`);
    const last = BRANCHES - 1;
    const page = await box.page(`p3-git-b${last}.localhost`, "/");
    assert.equal(page.text, `p3 b${last}\n`);
    assert.ok(memory < MOST_MEMORY, `${memory} bytes`);
    // deno-lint-ignore no-console -- people run this test to see the numbers
    console.log(
      `accepted in ${seconds(started, accepted)}, live in ${seconds(started, ended)}, ` +
        `platform's peak memory ${Math.round(memory / 1e6)} MB`,
    );
  });
});
