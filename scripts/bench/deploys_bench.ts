/**
 * Measures how long a page's visitors wait while the platform receives deploys and builds projects,
 * compared with the time when it does neither.
 *
 * @module
 */
import { join } from "node:path";
import { BARE, withBare } from "./_bare.ts";
import { type BenchPlace, describeProgram, withBenchPlace } from "./_bench_place.ts";
import { BURNER_NICE, withBurners } from "./_burners.ts";
import { type Cost, loadProcess } from "./_load.ts";
import { againstMost, formatTable, median, whole } from "./_table.ts";

const DEPLOYS = 10;
/** Number of files in the deployed site, and number of files that change each time. */
const [FILES, CHANGED] = [500, 100];
const BUILDS = 4;
/** The build command: it uses one processor for one second, then writes files. */
const BUILD_COMMAND = "head -c 500M /dev/zero | sha256sum && mkdir -p dist && " +
  "for i in $(seq 300); do echo page $i > dist/$i.html; done && echo built > dist/index.html";

const QUIET_ROUNDS = 5;
const MOST_ROUNDS = 120;
const CONNECTIONS = 4;
/** Maximum factor by which the p99 may grow. */
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

/** Creates a repository whose branches are built by a command. */
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

/** Deploys the page that visitors request. */
async function deployPage({ site, tool }: BenchPlace): Promise<void> {
  await Deno.writeTextFile(join(site, "index.html"), "0123456789abcdef".repeat(832));
  await tool(["init", "--name", "bench", "--create"]);
  await tool(["deploy", "--prod"]);
}

/** Repeatedly deploys another project's site. */
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

/** Triggers builds, and resolves when all of them have finished. */
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

interface Entrant {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
}

const HOST = "bench.localhost";

const measure = (entrant: Entrant): Promise<Cost> =>
  loadProcess({ ...entrant, host: HOST, path: "/", seconds: 1, connections: CONNECTIONS });

type Rounds = ReadonlyMap<Entrant, readonly Cost[]>;

/**
 * Puts each entrant under load in turn, for one second each, for as long as `goesOn` returns true.
 */
async function measureInTurns(
  entrants: readonly Entrant[],
  goesOn: (round: number) => boolean,
): Promise<Rounds> {
  const rounds = new Map<Entrant, Cost[]>(entrants.map((entrant) => [entrant, []]));
  for (let round = 0; goesOn(round); round++) {
    for (const entrant of entrants) rounds.get(entrant)!.push(await measure(entrant));
  }
  return rounds;
}

/** Measures the entrants while `work` is in progress. */
async function measureWhile(
  entrants: readonly Entrant[],
  work: Promise<unknown>,
): Promise<Rounds> {
  let isOver = false;
  const over = work.finally(() => isOver = true);
  // `await over` throws a failure, but only after the current round has been measured.
  over.catch(() => {});
  const rounds = await measureInTurns(entrants, (round) => !isOver && round < MOST_ROUNDS);
  await over;
  return rounds;
}

const p99 = (rounds: readonly Cost[]): number => median(rounds.map((round) => round.p99));

function rowsOf(beside: string, rounds: Rounds, quiet?: Rounds): string[][] {
  return [...rounds].map(([entrant, costs]) => {
    const growth = quiet === undefined ? undefined : p99(costs) / p99(quiet.get(entrant)!);
    return [
      beside,
      entrant.name,
      String(costs.length),
      whole(median(costs.map(({ requestsPerSecond }) => requestsPerSecond))),
      median(costs.map(({ processorUs }) => processorUs)).toFixed(1),
      p99(costs).toFixed(2),
      Math.max(...costs.map((cost) => cost.p99)).toFixed(2),
      growth === undefined
        ? ""
        : entrant.name === BARE
        ? growth.toFixed(2)
        : againstMost(growth, MAX_GROWTH),
    ];
  });
}

async function compareAll(
  place: BenchPlace,
  entrants: readonly Entrant[],
  repository: string,
): Promise<string> {
  const some = (round: number): boolean => round < QUIET_ROUNDS;
  await measureInTurns(entrants, (round) => round === 0);
  const quiet = await measureInTurns(entrants, some);
  const beside = await withBurners(BUILDS, () => measureInTurns(entrants, some));
  const work = Promise.all([deployAll(place), buildAll(place, repository)]);
  const busy = await measureWhile(entrants, work);
  return formatTable(
    [
      "13 KB page next to",
      "server",
      "seconds",
      "requests/s",
      "cpu us",
      "p99 ms, median",
      "p99 ms, worst",
      "growth of the median",
    ],
    [
      ...rowsOf("nothing", quiet),
      ...rowsOf(`${BUILDS} burners, nice ${BURNER_NICE}`, beside, quiet),
      ...rowsOf(`${DEPLOYS} deploys and ${BUILDS} builds of svc`, busy, quiet),
    ],
  );
}

async function compare(place: BenchPlace, repository: string): Promise<string> {
  await deployPage(place);
  const { folder, site, tool, platform: { pid, port } } = place;
  await Deno.remove(site, { recursive: true });
  await Deno.mkdir(site);
  await tool(["init", "--name", "busy", "--create"]);
  return await withBare(folder, { port, host: HOST, paths: ["/"] }, (bare) => {
    const entrants = [{ name: "svc", pid, port }, { name: BARE, pid: bare.pid, port: bare.port }];
    return compareAll(place, entrants, repository);
  });
}

/** Runs the bench, and returns its report. */
export async function benchDeploys(): Promise<string> {
  const repository = await Deno.makeTempDir({ prefix: "svc-bench-git-" });
  try {
    await makeRepository(repository);
    const table = await withBenchPlace((place) => compare(place, repository), {
      args: ["--git-root", repository],
    });
    return `${CONNECTIONS} connections, load generator and builds on the same processors ` +
      `(svc ${describeProgram()})\n\n${table}`;
  } finally {
    await Deno.remove(repository, { recursive: true });
  }
}
