/**
 * How long visitors of a page wait while the platform takes deploys and builds
 * projects, against the same visitors when it does neither.
 *
 * @module
 */
import { join } from "node:path";
import { type BenchPlace, describeProgram, withBenchPlace } from "./_bench_place.ts";
import { type Cost, loadProcess } from "./_load.ts";
import { againstMost, formatTable, median, whole } from "./_table.ts";

const DEPLOYS = 10;
/** Files of the site that is deployed, of which some differ each time. */
const [FILES, CHANGED] = [500, 100];
const BUILDS = 4;
/** What a build runs: some seconds of one processor, then files. */
const BUILD_COMMAND = "head -c 1500M /dev/zero | sha256sum && mkdir -p dist && " +
  "for i in $(seq 300); do echo page $i > dist/$i.html; done && echo built > dist/index.html";

const QUIET_ROUNDS = 6;
const MOST_ROUNDS = 120;
const CONNECTIONS = 4;
/** Largest growth of the p99. */
const MAX_GROWTH = 2;
const ENDED = new Set(["LIVE", "FAILED", "STOPPED", "ROLLED_BACK"]);

async function call({ platform, token }: BenchPlace, path: string, json?: unknown) {
  const response = await fetch(platform.url + path, {
    method: json === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(json === undefined ? {} : { body: JSON.stringify(json) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"];
  const { code, stdout, stderr } = await new Deno.Command("git", {
    args: ["-C", folder, ...identity, ...args],
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

/** A repository whose branches are built by a command. */
async function makeRepository(folder: string): Promise<void> {
  await git(folder, "init", "--quiet", "--initial-branch=main");
  await Deno.writeTextFile(
    join(folder, "svc.toml"),
    `[project]\nname = "built"\n\n[build]\ncommand = "${BUILD_COMMAND}"\noutput_dirs = ["dist"]\n`,
  );
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message", "begin");
  for (let index = 0; index < BUILDS; index++) await git(folder, "branch", `b${index}`);
}

/** The page that visitors ask for. */
async function deployPage({ site, tool }: BenchPlace): Promise<void> {
  await Deno.writeTextFile(join(site, "index.html"), "0123456789abcdef".repeat(832));
  await tool(["init", "--name", "bench", "--create"]);
  await tool(["deploy", "--prod"]);
}

/** Deploys a site of another project again and again. */
async function deployAll({ site, tool }: BenchPlace): Promise<void> {
  await Deno.writeTextFile(join(site, "index.html"), "home");
  const page = (index: number, round: number) =>
    Deno.writeTextFile(join(site, `${index}.html`), `page ${index} of ${round} `.repeat(300));
  for (let round = 0; round < DEPLOYS; round++) {
    const count = round === 0 ? FILES : CHANGED;
    for (let index = 0; index < count; index++) await page(index, round);
    await tool(["deploy", "--prod"]);
  }
}

/** Triggers builds; resolves when all have ended. */
async function buildAll(place: BenchPlace, repository: string): Promise<void> {
  const commitSha = await git(repository, "rev-parse", "HEAD");
  await call(place, "/v1/projects", { name: "built", gitUrl: repository });
  const hook = { projectId: "built", name: "bench", branch: "main", scope: "All" };
  const { url } = await call(place, "/v1/deploy-hooks", hook);
  const ids: string[] = [];
  for (let index = 0; index < BUILDS; index++) {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ branch: `b${index}`, commitSha }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(answer));
    ids.push(answer.id);
  }
  for (const id of ids) {
    let { status } = await call(place, `/v1/deployments/${id}`);
    while (!ENDED.has(status)) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      ({ status } = await call(place, `/v1/deployments/${id}`));
    }
    if (status !== "LIVE") throw new Error(`Build ${id} ended as ${status}`);
  }
}

const measure = ({ platform }: BenchPlace): Promise<Cost> =>
  loadProcess({
    ...{ pid: platform.pid, port: platform.port, host: "bench.localhost", path: "/" },
    ...{ seconds: 1, connections: CONNECTIONS },
  });

/** Second after second of load, while something else is under way. */
async function measureWhile(place: BenchPlace, work: Promise<unknown>): Promise<Cost[]> {
  let isOver = false;
  const over = work.finally(() => isOver = true);
  // What fails is thrown below, after the second that is being measured.
  over.catch(() => {});
  const rounds: Cost[] = [];
  while (!isOver && rounds.length < MOST_ROUNDS) rounds.push(await measure(place));
  await over;
  return rounds;
}

const row = (name: string, rounds: readonly Cost[]): string[] => [
  name,
  String(rounds.length),
  whole(median(rounds.map(({ requestsPerSecond }) => requestsPerSecond))),
  median(rounds.map(({ p99 }) => p99)).toFixed(2),
  Math.max(...rounds.map(({ p99 }) => p99)).toFixed(2),
];

async function compare(place: BenchPlace, repository: string): Promise<string> {
  await deployPage(place);
  const { site, tool } = place;
  await Deno.remove(site, { recursive: true });
  await Deno.mkdir(site);
  await tool(["init", "--name", "busy", "--create"]);
  await measure(place);
  const quiet: Cost[] = [];
  for (let round = 0; round < QUIET_ROUNDS; round++) quiet.push(await measure(place));
  const work = Promise.all([deployAll(place), buildAll(place, repository)]);
  const busy = await measureWhile(place, work);
  const p99 = (rounds: readonly Cost[]) => median(rounds.map((round) => round.p99));
  return formatTable(
    [
      "13 KB page",
      "seconds",
      "requests/s",
      "p99 ms, median",
      "p99 ms, worst",
      "growth of the median",
    ],
    [
      [...row("quiet", quiet), ""],
      [
        ...row(`${DEPLOYS} deploys and ${BUILDS} builds`, busy),
        againstMost(p99(busy) / p99(quiet), MAX_GROWTH),
      ],
    ],
  );
}

/** Runs the bench and returns its report. */
export async function benchDeploys(): Promise<string> {
  const repository = await Deno.makeTempDir({ prefix: "svc-bench-git-" });
  try {
    await makeRepository(repository);
    const table = await withBenchPlace((place) => compare(place, repository), {
      args: ["--git-root", repository],
    });
    return `${CONNECTIONS} connections, tool and builds on the same processors ` +
      `(svc ${describeProgram()})\n\n${table}`;
  } finally {
    await Deno.remove(repository, { recursive: true });
  }
}
