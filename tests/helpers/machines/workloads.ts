/**
 * Client writes while parts of a platform are killed: deployments, projects, build triggers, events
 * and sign-ins.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fetchByHost } from "../../../scripts/_fetch_by_host.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { makeRepository } from "../../../src/lib/_test_git.ts";
import { Browser, signUp } from "../browser.ts";
import { createProject, deploy } from "../platform.ts";
import type { Machines } from "./machines.ts";
import { acknowledge, NotAcknowledgedError, type Workload } from "./workload.ts";

/** Another node restarts an interrupted build at most 15 seconds later. */
const BUILD_PATIENCE_MS = 120_000;
const BRANCHES = 100;
/** A hook accepts 30 triggers per minute. */
const HOOKS = 4;

/** Deploys a site whose page contains the version, which increases with each deployment. */
export async function deployments(machines: Machines): Promise<Workload> {
  const { id } = await createProject(machines, "versions");
  let attempted = 0;
  let acknowledged = 0;
  let count = 0;
  const page = async (port: number): Promise<number> => {
    const { status, text } = await fetchByHost({ port, host: "versions.localhost", path: "/" });
    return status === 200 ? Number(/^version (\d+)$/.exec(text)?.[1]) : 0;
  };
  return {
    name: "deployments",
    pauseMs: 50,
    get acknowledged() {
      return count;
    },
    async write() {
      const version = ++attempted;
      const files = { "index.html": `version ${version}`, "other.txt": `other ${version % 10}` };
      await deploy(machines, id, { files }).catch((error: Error) => {
        throw new NotAcknowledgedError(error.message, { cause: error });
      });
      acknowledged = version;
      count++;
    },
    async check({ nodes }) {
      for (const { name, port } of nodes) {
        const shown = await until(() => page(port), (version) => version >= acknowledged);
        assert.ok(shown <= attempted, `Node ${name} shows version ${shown}`);
      }
      const shown = new Set(await Promise.all(nodes.map(({ port }) => page(port))));
      assert.equal(shown.size, 1, `Nodes show several versions: ${[...shown]}`);
    },
  };
}

/** Creates projects. Each project is a single record that does not change later. */
export function projects(machines: Machines): Workload {
  let names: string[] = [];
  let count = 0;
  let next = 0;
  return {
    name: "projects",
    pauseMs: 100,
    get acknowledged() {
      return count;
    },
    async write() {
      const name = `p-${next++}`;
      await acknowledge(machines.api("POST", "/v1/projects", { json: { name } }));
      names.push(name);
      count++;
    },
    async check({ nodes }) {
      const wanted = names;
      names = [];
      for (const node of nodes) {
        for (const name of wanted) {
          const { status } = await node.api("GET", `/v1/projects/${name}`);
          assert.equal(status, 200, `Node ${node.name} has no project ${name}`);
        }
      }
    },
  };
}

/** Raises events. Each event must be in the inbox exactly once. */
export function events(machines: Machines): Workload {
  let waiting: string[] = [];
  let count = 0;
  let next = 0;
  const raise = (project: string) =>
    machines.api("POST", "/v1/events", {
      json: { event: "deployment.live", data: { project } },
    });
  const inbox = async (): Promise<string[]> => {
    // An item can appear twice if other items are added above it between the requests for two
    // pages.
    const names = new Map<string, string>();
    for (let offset = 0, total = 1; offset < total; offset += 100) {
      const path = `/v1/notifications?limit=100&offset=${offset}`;
      const { json } = await machines.api("GET", path);
      total = json.total;
      for (const { id, data } of json.items) names.set(id, data.project ?? "");
    }
    return [...names.values()].filter((name) => name.startsWith("event-"));
  };
  return {
    name: "events",
    pauseMs: 50,
    get acknowledged() {
      return count;
    },
    async write() {
      const name = `event-${next++}`;
      await acknowledge(raise(name));
      waiting.push(name);
      count++;
    },
    async check() {
      const wanted = waiting;
      waiting = [];
      const missing = (all: readonly string[]) => {
        const seen = new Set(all);
        return wanted.filter((name) => !seen.has(name));
      };
      // Another leader replaces a killed one within 15 seconds.
      await until(async () => missing(await inbox()), (names) => names.length === 0);
      const all = await inbox();
      const seen = new Set<string>();
      const twice = all.filter((name) => seen.has(name) || !seen.add(name));
      assert.deepEqual(twice, [], "No inbox has an event twice");
    },
  };
}

/** Triggers builds, one for each branch. */
export async function triggers(machines: Machines): Promise<Workload> {
  const repository = await makeRepository(machines.folder, "repository");
  const commitSha = await repository.commit("main", { "README.md": "hello" });
  for (let index = 0; index < BRANCHES; index++) await repository.git("branch", `b${index}`);
  await acknowledge(machines.api("POST", "/v1/projects", {
    json: {
      name: "built",
      gitUrl: repository.path,
      buildCommand: "mkdir out && echo $SVC_BRANCH > out/index.html",
      outputDirectory: "out",
    },
  }));
  const hooks: string[] = [];
  for (let index = 0; index < HOOKS; index++) {
    const json = { projectId: "built", name: `ci-${index}`, branch: "main", scope: "All" };
    const { url } = await acknowledge(machines.api("POST", "/v1/deploy-hooks", { json }));
    hooks.push(new URL(url).pathname);
  }
  let triggered: string[] = [];
  let count = 0;
  let next = 0;
  return {
    name: "triggers",
    pauseMs: 1500,
    get acknowledged() {
      return count;
    },
    async write() {
      const index = next++;
      const json = { branch: `b${index % BRANCHES}`, commitSha };
      const path = hooks[index % HOOKS]!;
      const { id } = await acknowledge(machines.api("POST", path, { token: null, json }));
      triggered.push(id);
      count++;
    },
    async check() {
      const ids = triggered;
      triggered = [];
      for (const id of ids) {
        const { status, error } = await until(
          async () => (await machines.api("GET", `/v1/deployments/${id}`)).json,
          ({ status }) => ["LIVE", "FAILED", "STOPPED"].includes(status),
          BUILD_PATIENCE_MS,
        );
        // A build that may have crashed the platform twice is not started again.
        const isGivenUp = status === "FAILED" && /stopped twice/.test(error);
        assert.ok(status === "LIVE" || isGivenUp, `The build of ${id} is ${status}: ${error}`);
      }
    },
  };
}

/** Signs in. All nodes must accept the sessions. */
export async function signIns(machines: Machines): Promise<Workload> {
  await signUp(machines, "ada");
  let sessions: Browser[] = [];
  let count = 0;
  return {
    name: "sign-ins",
    pauseMs: 300,
    get acknowledged() {
      return count;
    },
    async write() {
      const browser = new Browser(machines);
      await acknowledge(browser.signIn("ada@example.com"));
      sessions.push(browser);
      count++;
    },
    async check({ nodes }) {
      const wanted = sessions;
      sessions = [];
      for (const { cookie } of wanted) {
        for (const node of nodes) {
          const { status } = await node.api("GET", "/v1/account", {
            token: null,
            headers: { cookie },
          });
          assert.equal(status, 200, `Node ${node.name} has lost a session`);
        }
      }
    },
  };
}
