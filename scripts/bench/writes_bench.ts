/**
 * Writes that requests wait for: device-flow polls, events, and triggers that start a build, with
 * many concurrent clients.
 *
 * @module
 */
import { join } from "node:path";
import { type BenchPlace, describeProgram, withBenchPlace } from "./_bench_place.ts";
import { load } from "./_load.ts";
import { formatTable, whole } from "./_table.ts";

const CLIENTS = 50;
const SECONDS = 4;
const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:device_code";
/** Number of branches, each of which gets one trigger. */
const BRANCHES = 600;
/** Number of triggers that one hook accepts per minute. */
const PER_HOOK = 30;

interface Row {
  readonly name: string;
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p99: number;
  /** The platform's CPU time for one request, in microseconds. */
  readonly processor: number;
  readonly aim: number;
}

/** Returns the CPU time of a process so far, in microseconds (proc(5)). */
async function processorTime(pid: number): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // A tick of Linux is 10 ms.
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

type Fields = Readonly<Record<string, string>>;

async function post(url: string, body: string, fields: Fields): Promise<Response> {
  const response = await fetch(url, { method: "POST", headers: fields, body });
  if (response.ok) return response;
  throw new Error(`POST ${url}: ${await response.text()}`);
}

/** Creates a Lua script for wrk, in which each request sends the next body in the list. */
const takingTurns = (path: string, bodies: readonly string[], fields: Fields): string => {
  const headers = Object.entries(fields).map(([name, value]) => `["${name}"] = "${value}"`);
  return `
local bodies = {${bodies.map((body) => JSON.stringify(body)).join(", ")}}
local headers = { ["Host"] = wrk.headers["Host"], ${headers.join(", ")} }
local n = 0
request = function()
  n = n % #bodies + 1
  return wrk.format("POST", "${path}", headers, bodies[n])
end
`;
};

async function loadBy(
  { folder, platform }: BenchPlace,
  given: {
    readonly name: string;
    readonly path: string;
    readonly script: string;
    readonly expects: "success" | "refusal";
    readonly aim: number;
  },
): Promise<Row> {
  const script = join(folder, "load.lua");
  await Deno.writeTextFile(script, given.script);
  const before = await processorTime(platform.pid);
  const { path, expects, name, aim } = given;
  const { requestsPerSecond, p99 } = await load({
    path,
    expects,
    script,
    port: platform.port,
    host: "localhost",
    seconds: SECONDS,
    connections: CLIENTS,
  });
  const spent = await processorTime(platform.pid) - before;
  const processor = spent / (requestsPerSecond * SECONDS);
  return { name, perSecond: requestsPerSecond, p99, processor, aim };
}

async function measurePolls(place: BenchPlace): Promise<Row[]> {
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const codes: string[] = [];
  for (let index = 0; index < CLIENTS; index++) {
    const from = { ...form, "x-forwarded-for": `10.0.0.${index}` };
    const started = await post(`${place.platform.url}/v1/device`, "client_id=bench", from);
    codes.push((await started.json()).device_code);
  }
  const path = "/v1/device/token";
  const bodies = codes.map((code) =>
    new URLSearchParams({ client_id: "bench", grant_type: GRANT_TYPE, device_code: code })
      .toString()
  );
  const poll = (name: string, some: readonly string[]) =>
    loadBy(place, {
      name,
      path,
      script: takingTurns(path, some, form),
      expects: "refusal",
      aim: 10_000,
    });
  return [
    await poll(`polls of ${CLIENTS} pending codes`, bodies),
    await poll("polls of one pending code", bodies.slice(0, 1)),
  ];
}

async function measureEvents(place: BenchPlace): Promise<Row[]> {
  const { url } = place.platform;
  const json = { "content-type": "application/json", "sec-fetch-site": "same-origin" };
  const person = { name: "Bench", email: "bench@example.com", password: "a long bench password" };
  const signedUp = await post(`${url}/v1/sign-up`, JSON.stringify(person), json);
  await signedUp.body?.cancel();
  const cookie = signedUp.headers.get("set-cookie")!.split(";")[0]!;
  const workspace = JSON.stringify({ slug: "bench", name: "Bench" });
  await (await post(`${url}/v1/workspaces`, workspace, { ...json, cookie })).body?.cancel();
  const path = "/v1/events";
  const event = JSON.stringify({ event: "deployment.live", data: { project: "bench" } });
  const script = takingTurns(path, [event], { ...json, cookie, "x-workspace": "bench" });
  const name = "events, delivered to the inbox";
  return [await loadBy(place, { name, path, script, expects: "success", aim: 8000 })];
}

async function git(folder: string, ...args: readonly string[]): Promise<string> {
  const identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.com"];
  const { code, stdout, stderr } = await new Deno.Command("git", {
    args: ["-C", folder, ...identity, ...args],
  }).output();
  if (code !== 0) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

/** Creates a repository with one commit that many branches point to, and returns the commit. */
async function makeRepository(folder: string): Promise<string> {
  await git(folder, "init", "--quiet", "--initial-branch=main");
  await Deno.writeTextFile(join(folder, "index.html"), "<h1>bench</h1>");
  await git(folder, "add", "--all");
  await git(folder, "commit", "--quiet", "--message", "begin");
  for (let index = 0; index < BRANCHES; index++) await git(folder, "branch", `b${index}`);
  return await git(folder, "rev-parse", "HEAD");
}

/** Creates enough hooks for a minute's triggers, and returns their URLs. */
async function makeHooks({ platform, token }: BenchPlace, gitUrl: string): Promise<string[]> {
  const fields = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const create = async (path: string, body: unknown) =>
    await (await post(platform.url + path, JSON.stringify(body), fields)).json();
  await create("/v1/projects", { name: "bench", gitUrl });
  const hooks: string[] = [];
  for (let index = 0; index * PER_HOOK < BRANCHES + PER_HOOK; index++) {
    const hook = { projectId: "bench", name: `hook ${index}`, branch: "main", scope: "All" };
    hooks.push((await create("/v1/deploy-hooks", hook)).url);
  }
  return hooks;
}

async function measureTriggers(place: BenchPlace, repository: string): Promise<Row[]> {
  const commitSha = await git(repository, "rev-parse", "HEAD");
  const [first, ...hooks] = await makeHooks(place, repository);
  const trigger = async (url: string, branch: string) => {
    const body = JSON.stringify({ branch, commitSha });
    await (await post(url, body, { "content-type": "application/json" })).body?.cancel();
  };
  // The first trigger fetches the repository.
  await trigger(first!, "main");
  const took: number[] = [];
  let next = 0;
  const before = await processorTime(place.platform.pid);
  const started = performance.now();
  await Promise.all(Array.from({ length: CLIENTS }, async () => {
    for (let index = next++; index < BRANCHES; index = next++) {
      const begun = performance.now();
      await trigger(hooks[index % hooks.length]!, `b${index}`);
      took.push(performance.now() - begun);
    }
  }));
  const perSecond = BRANCHES * 1000 / (performance.now() - started);
  const processor = (await processorTime(place.platform.pid) - before) / BRANCHES;
  const p99 = took.toSorted((left, right) => left - right)[Math.floor(BRANCHES * 0.99)]!;
  return [{ name: "triggers that start a build", perSecond, p99, processor, aim: 300 }];
}

/** Runs the bench and returns its report. */
export async function benchWrites(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-git-" });
  try {
    await makeRepository(folder);
    const args = ["--trust-proxy", "127.0.0.0/8", "--git-root", folder];
    const small = await withBenchPlace(
      async (place) => [...await measurePolls(place), ...await measureEvents(place)],
      { args },
    );
    const rows = [
      ...small,
      ...await withBenchPlace((place) => measureTriggers(place, folder), { args }),
    ];
    const cells = rows.map(({ name, perSecond, p99, processor, aim }) => [
      name,
      whole(perSecond),
      p99.toFixed(1),
      whole(processor),
      `${whole(aim)}: ${perSecond >= aim ? "met" : "MISSED"}`,
    ]);
    const headings = ["written", "a second", "p99 ms", "platform us per request", "aim a second"];
    return `${CLIENTS} clients (svc ${describeProgram()})\n\n${formatTable(headings, cells)}`;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
