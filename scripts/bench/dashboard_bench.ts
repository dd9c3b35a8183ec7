/**
 * Time to the first byte of every dashboard page, on a platform with 1,000 projects, 10,000
 * deployments, 100,000 notifications and 20,000 log lines. The platform runs in its own process:
 * the program in `SVC_BIN`, or the source.
 *
 * @module
 */
import { join } from "node:path";
import { systemClock, systemRandom } from "../../src/lib/clock.ts";
import { sha256Hex } from "../../src/lib/hash.ts";
import { exchange } from "../../src/lib/_exchange.ts";
import { uuidV7 } from "../../src/lib/ids.ts";
import { keys, openPlatformKv } from "../../src/platform/core/store/mod.ts";
import { type DeploymentRecord, DeploymentStore } from "../../src/platform/deployments/mod.ts";
import { fillInbox } from "../../src/platform/notifications/inbox/inboxes_bench.ts";
import { cleanEnvironment, type Platform, startProgram } from "../_program.ts";
import {
  BEFORE_SIGN_IN,
  type MeasuredRecords,
  NOTIFICATIONS,
  pagesOf,
} from "./_dashboard_pages.ts";
import { formatTable, median, whole } from "./_table.ts";
import type { RecordStore } from "../../src/store/mod.ts";

const PROJECTS = 1000;
const DEPLOYMENTS_EACH = 10;
const LOG_LINES = 20_000;
/** Number of projects that are created at the same time. */
const AT_ONCE = 16;
/** Number of records per commit. */
const BATCH = 200;
const WARM = 3;
const ROUNDS = 20;
const AIM_MS = 50;

const start = (dataDir: string): Promise<Platform> =>
  startProgram({
    dataDir: join(dataDir, "data"),
    env: cleanEnvironment(dataDir),
    args: ["--host", "127.0.0.1", "--base-domain", "localhost", "--postgres-port", "0"],
  });

/** Calls the API with a session, as a page of `workspace` would. */
function caller({ url }: Platform, cookie: string, workspace?: string) {
  return async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
        ...(workspace === undefined ? {} : { "x-workspace": workspace }),
        cookie,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${text}`);
    const session = answer.headers.get("set-cookie")?.split(";")[0];
    return { json: text === "" ? undefined : JSON.parse(text), session };
  };
}

interface Furnished extends MeasuredRecords {
  readonly cookie: string;
  readonly userId: string;
  readonly workspaceId: string;
}

const page = "<!doctype html><title>Bench</title>";
const PAGE = { path: "index.html", sha256: sha256Hex(page), size: page.length };

/** Creates the workspace, its projects, and one deployment that is copied later. */
async function makeProjects(platform: Platform): Promise<Furnished> {
  const person = { name: "Bench", email: "bench@example.com", password: "a long bench password" };
  const { session = "" } = await caller(platform, "")("POST", "/v1/sign-up", person);
  const { json: workspace } = await caller(platform, session)(
    "POST",
    "/v1/workspaces",
    { slug: "bench", name: "Bench" },
  );
  const api = caller(platform, session, "bench");
  const { json: account } = await api("GET", "/v1/account");
  let next = 0;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    for (let at = next++; at < PROJECTS; at = next++) {
      await api("POST", "/v1/projects", { name: `project-${at}` });
    }
  }));
  await fetch(`${platform.url}/v1/blobs/${PAGE.sha256}`, {
    method: "PUT",
    headers: { cookie: session, "x-workspace": "bench", "sec-fetch-site": "same-origin" },
    body: page,
  }).then((answer) => answer.body?.cancel());
  const { json } = await api("POST", "/v1/projects/project-0/deployments", {
    environment: "production",
    files: [PAGE],
    message: "Show the tide beside the hours",
    manifest: {
      version: 1,
      layers: [{ name: "static", target: "STATIC", directory: "." }],
      routes: [{ pattern: "^/.*$", layer: "static" }],
    },
  });
  const { id } = json.deployment;
  await api("POST", `/v1/deployments/${id}/activate`);
  const { json: key } = await api("POST", "/v1/api-keys", { name: "bench", role: "viewer" });
  return {
    key: key.id,
    cookie: session,
    userId: account.id,
    workspaceId: workspace.id,
    deployment: id,
  };
}

/** Copies a deployment into every project. */
async function copyDeployments(kv: RecordStore, { workspaceId, deployment }: Furnished) {
  const store = new DeploymentStore(kv);
  const owner = await store.owner(deployment);
  const model = await store.find(owner!.projectId, deployment);
  let operation = kv.atomic();
  let held = 0;
  for await (const { key } of kv.list({ prefix: keys.projects(workspaceId) })) {
    const projectId = String(key.at(-1));
    for (let at = 0; at < DEPLOYMENTS_EACH; at++) {
      const id = uuidV7(systemClock, systemRandom);
      const uniqueLabel = `bench-${id}`;
      const copy: DeploymentRecord = { ...model!, id, projectId, uniqueLabel, status: "STOPPED" };
      operation.set(keys.deployment(projectId, id), copy)
        .set(keys.deploymentOwner(id), { projectId, workspaceId });
      if (++held % BATCH === 0) {
        await operation.commit();
        operation = kv.atomic();
      }
    }
  }
  await operation.commit();
}

/** Fills the log of the project whose pages are measured. */
async function sendRequests({ port }: Platform): Promise<void> {
  let left = LOG_LINES;
  await Promise.all(Array.from({ length: AT_ONCE }, async () => {
    while (left-- > 0) {
      await exchange({ port, path: `/page-${left}`, headers: { host: "project-0.localhost" } });
    }
  }));
}

/** Returns the number of milliseconds until a page's first byte, and the size of the page. */
async function openPage(url: string, cookie: string) {
  const started = performance.now();
  const answer = await fetch(url, { headers: { cookie }, redirect: "manual" });
  const reader = answer.body!.getReader();
  const first = await reader.read();
  const milliseconds = performance.now() - started;
  let bytes = first.value?.byteLength ?? 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength;
  }
  if (answer.status !== 200) throw new Error(`${url} responded with ${answer.status}`);
  return { milliseconds, bytes };
}

async function measure({ url }: Platform, path: string, cookie: string): Promise<string[]> {
  for (let round = 0; round < WARM; round++) await openPage(url + path, cookie);
  const opened = [];
  for (let round = 0; round < ROUNDS; round++) opened.push(await openPage(url + path, cookie));
  const times = opened.map(({ milliseconds }) => milliseconds);
  const [middle, most] = [median(times), Math.max(...times)];
  return [
    path.replace(/[0-9a-f-]{36}/, ":id"),
    Math.min(...times).toFixed(1),
    middle.toFixed(1),
    most.toFixed(1),
    whole(opened[0]!.bytes),
    middle <= AIM_MS ? "met" : "MISSED",
  ];
}

/** Fills a platform with data, and measures every page. */
export async function benchDashboard(): Promise<string> {
  const dataDir = await Deno.makeTempDir({ prefix: "svc-pages-bench-" });
  try {
    const first = await start(dataDir);
    const furnished = await makeProjects(first);
    await first.stop();
    const fail = (message: string): never => {
      throw new Error(message);
    };
    const { kv, close } = await openPlatformKv(join(dataDir, "data", "kv.sqlite3"), {
      env: {},
      onTrouble: fail,
      onDamaged: fail,
    });
    await copyDeployments(kv, furnished);
    await fillInbox(kv, { ...furnished, count: NOTIFICATIONS });
    await close();
    const platform = await start(dataDir);
    try {
      await sendRequests(platform);
      const rows = [];
      for (const path of pagesOf(furnished)) {
        const cookie = BEFORE_SIGN_IN.test(path) ? "" : furnished.cookie;
        rows.push(await measure(platform, path, cookie));
      }
      const size =
        `${whole(PROJECTS)} projects, ${whole(PROJECTS * DEPLOYMENTS_EACH)} deployments,` +
        ` ${whole(NOTIFICATIONS)} notifications, ${
          whole(LOG_LINES)
        } log lines; milliseconds to the first byte`;
      const headings = ["page", "min", "median", "max", "bytes", `aim: ${AIM_MS} ms`];
      return `${size}\n${formatTable(headings, rows)}`;
    } finally {
      await platform.stop();
    }
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}
