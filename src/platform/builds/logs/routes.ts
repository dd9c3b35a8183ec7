/**
 * `/v1/deployments/{deployment}/build-log`.
 *
 * @module
 */
import { type BuildLogLine, endpoints } from "../../../contract/mod.ts";
import type { Caller } from "../../core/access/mod.ts";
import type { DeploymentRecord, DeploymentStore } from "../../deployments/mod.ts";
import { eventStream, Failure, type Router, type ServerEvent } from "../../core/http/mod.ts";
import type { BuildLogs, LoggedBuild } from "./build_logs.ts";

/** Longest text of one event, in characters: clients bound what they accept. */
const MAX_EVENT = 128 * 1024;

/** How often to check whether a build has begun, in milliseconds. */
const WAIT_MS = 500;

export interface BuildLogServices {
  readonly deployments: DeploymentStore;
  readonly buildLogs: BuildLogs;
  /** Aborted when the platform stops. */
  readonly closing: AbortSignal;
}

/** True while a deployment may still be built. */
function isWaited(deployment: DeploymentRecord | undefined): boolean {
  return deployment?.status === "PENDING" || deployment?.status === "BUILDING";
}

/** Groups lines into events of bounded size. */
function inParts(lines: readonly BuildLogLine[]): BuildLogLine[][] {
  const parts: BuildLogLine[][] = [];
  let room = 0;
  for (const line of lines) {
    const size = line.text.length + 100;
    if (room < size) {
      parts.push([]);
      room = MAX_EVENT;
    }
    room -= size;
    parts.at(-1)!.push(line);
  }
  return parts;
}

type Send = (event: ServerEvent) => void;

/** Sends the existing lines, then new ones, then the end. */
async function sendAll(
  services: BuildLogServices,
  build: LoggedBuild,
  options: { readonly send: Send; readonly signal: AbortSignal },
): Promise<void> {
  const { buildLogs, deployments } = services;
  const { send, signal } = options;
  let sent = 0;
  const sendLines = (lines: readonly BuildLogLine[], isComplete = false) => {
    const fresh = lines.filter(({ number }) => number > sent);
    sent = fresh.at(-1)?.number ?? sent;
    const event = (part: readonly BuildLogLine[], last: boolean) =>
      send({ event: "build-log", id: String(sent), data: { lines: part, isComplete: last } });
    for (const part of inParts(fresh)) event(part, false);
    if (isComplete) event([], true);
  };
  while (!signal.aborted) {
    const waiting: BuildLogLine[] = [];
    let live = false;
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const leave = buildLogs.follow(build, (line) => {
      if (line === undefined) end();
      else if (live) sendLines([line]);
      else waiting.push(line);
    });
    try {
      sendLines(await buildLogs.read(build));
      if (leave !== undefined) {
        sendLines(waiting);
        live = true;
        signal.addEventListener("abort", () => end(), { once: true });
        await ended;
      }
    } finally {
      leave?.();
    }
    if (!isWaited(await deployments.find(build.projectId, build.deploymentId))) {
      return sendLines(await buildLogs.read(build), true);
    }
    await new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  }
}

export function bindBuildLogRoutes(router: Router, services: BuildLogServices): void {
  const { deployments, buildLogs, closing } = services;

  /** Finds a deployment of the caller's workspace; those of others do not exist for it. */
  async function find(caller: Caller, id: string): Promise<LoggedBuild> {
    const owner = await deployments.owner(id);
    if (owner?.workspaceId === caller.workspace.id) {
      return { projectId: owner.projectId, deploymentId: id };
    }
    const { slug } = caller.workspace;
    throw new Failure("not_found", `Deployment ${id} does not exist in workspace "${slug}"`);
  }

  router.guarded(endpoints.getBuildLog, async (caller, { params }) => {
    const build = await find(caller, params.deployment);
    const deployment = await deployments.find(build.projectId, build.deploymentId);
    const isComplete = !isWaited(deployment) && !buildLogs.isOpen(build);
    return { lines: await buildLogs.read(build), isComplete };
  });

  router.guarded(endpoints.followBuildLog, async (caller, { params }) => {
    const build = await find(caller, params.deployment);
    const done = new AbortController();
    return eventStream((send) => {
      const gone = new AbortController();
      const signal = AbortSignal.any([gone.signal, closing]);
      void sendAll(services, build, { send, signal }).finally(() => {
        if (!signal.aborted) done.abort();
      });
      return () => gone.abort();
    }, AbortSignal.any([closing, done.signal]));
  });
}
