/**
 * Deploy hooks: triggers accepted per second, and the time from a trigger until a browser gets the
 * new page of a static repository.
 *
 * @module
 */
import { join } from "node:path";
import { fetchByHost } from "../_fetch_by_host.ts";
import { type BenchPlace, describeProgram, peakMemory, withBenchPlace } from "./_bench_place.ts";
import { formatTable, whole } from "./_table.ts";

/** Number of triggers that one hook accepts per minute. */
const PER_HOOK = 30;
const HOOKS = 20;
const PARALLEL = 8;
const ROUNDS = 9;
const AIM_MS = 1500;
/** Time in milliseconds after which a deployment counts as failed. */
const LIVE_MS = 60_000;

interface Repository {
  readonly path: string;
  git(...args: string[]): Promise<string>;
  commit(text: string): Promise<string>;
}

async function makeRepository(folder: string): Promise<Repository> {
  const path = join(folder, "site");
  await Deno.mkdir(path);
  const git = async (...args: string[]) => {
    const identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"];
    const { code, stdout, stderr } = await new Deno.Command("git", {
      args: ["-C", path, ...identity, ...args],
    }).output();
    if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
    return new TextDecoder().decode(stdout).trim();
  };
  await git("init", "--quiet", "--initial-branch=main");
  return {
    path,
    git,
    async commit(text) {
      await Deno.writeTextFile(join(path, "index.html"), text);
      await git("add", "--all");
      await git("commit", "--quiet", "--message", text);
      return await git("rev-parse", "HEAD");
    },
  };
}

async function call({ platform, token }: BenchPlace, path: string, json?: unknown) {
  const response = await fetch(platform.url + path, {
    method: json === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

const createHook = async (place: BenchPlace, index: number): Promise<string> =>
  (await call(place, "/v1/deploy-hooks", {
    projectId: "bench",
    name: `hook ${index}`,
    branch: "main",
    scope: "All",
  })).url;

async function trigger(url: string, body: Readonly<Record<string, unknown>>) {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(JSON.stringify(answer));
  return answer;
}

/** Runs all jobs, a few at a time, and returns the number of jobs per second. */
async function rate(jobs: readonly (() => Promise<unknown>)[]): Promise<number> {
  const queue = [...jobs];
  const started = performance.now();
  await Promise.all(Array.from({ length: PARALLEL }, async () => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) await job();
  }));
  return jobs.length / (performance.now() - started) * 1000;
}

/** Describes a deployment that should be live: its record, its build, and the build's output. */
async function describeLate(place: BenchPlace, id: string): Promise<string> {
  const asked = ["", "/build-log"].map((part) => call(place, `/v1/deployments/${id}${part}`));
  const builds = call(place, "/v1/projects/bench/builds");
  const answers = await Promise.allSettled([...asked, builds]);
  return answers.map((each) =>
    each.status === "fulfilled" ? JSON.stringify(each.value, null, 2) : String(each.reason)
  ).join("\n");
}

/**
 * Returns the number of milliseconds from a trigger to its response, and to the new page in
 * production.
 */
async function deployOnce(place: BenchPlace, url: string, commit: { sha: string; text: string }) {
  const started = performance.now();
  const { id } = await trigger(url, { branch: "main", commitSha: commit.sha });
  const answered = performance.now() - started;
  for (;;) {
    const page = await fetchByHost({
      port: place.platform.port,
      host: "bench.localhost",
      path: "/",
    });
    if (page.text === commit.text) break;
    if (performance.now() - started > LIVE_MS) {
      const state = await describeLate(place, id);
      throw new Error(`Deployment ${id} is not live after a minute: ${page.status}\n${state}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return { answered, live: performance.now() - started };
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;

async function measure(place: BenchPlace, repository: Repository): Promise<string> {
  await repository.commit("begin");
  await call(place, "/v1/projects", { name: "bench", gitUrl: repository.path });
  const hooks: string[] = [];
  for (let index = 0; index < HOOKS + 2; index++) hooks.push(await createHook(place, index));
  const rounds: { readonly answered: number; readonly live: number }[] = [];
  for (let index = 0; index < ROUNDS; index++) {
    const text = `<h1>${index}</h1>`;
    const sha = await repository.commit(text);
    rounds.push(await deployOnce(place, hooks[0]!, { sha, text }));
  }
  const head = { branch: "main", commitSha: await repository.git("rev-parse", "HEAD") };
  const same = await rate(
    hooks.slice(1, HOOKS + 1).flatMap((url) =>
      Array.from({ length: PER_HOOK }, () => () => trigger(url, head))
    ),
  );
  const branches = Array.from({ length: PER_HOOK }, (_, index) => `branch-${index}`);
  for (const branch of branches) await repository.git("branch", branch);
  const fresh = await rate(
    branches.map((branch) => () => trigger(hooks[HOOKS + 1]!, { ...head, branch })),
  );
  const lives = rounds.map(({ live }) => live);
  const rows = [
    [
      "trigger to response, new commit",
      `${whole(median(rounds.map((each) => each.answered)))} ms`,
      "",
    ],
    ["trigger to live, median", `${whole(median(lives))} ms`, `${AIM_MS} ms`],
    ["trigger to live, slowest", `${whole(Math.max(...lives))} ms`, `${AIM_MS} ms`],
    ["triggers for a commit that is live", `${whole(same)} /s`, ""],
    ["triggers that start a build, while builds run", `${whole(fresh)} /s`, ""],
    ["platform's peak memory", `${whole(peakMemory(place.platform.pid) / 1024 / 1024)} MB`, ""],
  ];
  return formatTable(["deploy hooks", "measured", "aim"], rows);
}

/** Runs the bench and returns its report. */
export async function benchHooks(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-git-" });
  try {
    const repository = await makeRepository(folder);
    const table = await withBenchPlace((place) => measure(place, repository), {
      args: ["--git-root", folder],
    });
    return `A static repository on this machine (svc ${describeProgram()})\n\n${table}`;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
