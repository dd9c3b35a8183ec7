/** `/v1/deployments/{deployment}/build-log`. @module */
import type { BuildLogLine } from "../../../contract/build_logs.ts";
import { endpoints } from "../../../contract/endpoints.ts";
import { messageOf } from "../../../lib/error_message.ts";
import type { Caller } from "../../core/access/mod.ts";
import { type DeploymentStore, requireOwner } from "../../deployments/mod.ts";
import { missingNodes } from "../../core/peers/mod.ts";
import { eventStream, type Router, type ServerEvent } from "../../core/http/mod.ts";
import type { LoggedBuild } from "./build_logs.ts";
import { followBuildLog, isBeingBuilt } from "./follow_build_log.ts";
import type { SharedBuildLogs } from "./shared_build_logs.ts";

/** Maximum length of the text in one event, in characters. Clients limit this length. */
const MAX_EVENT = 128 * 1024;

interface BuildLogServices {
  readonly deployments: DeploymentStore;
  readonly sharedBuildLogs: SharedBuildLogs;
  readonly closing: AbortSignal;
  onTrouble(message: string): void;
}

/** Groups lines into events of limited size. */
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

/** Sends the existing lines, then new lines, and finally the end event. */
async function sendAll(
  services: BuildLogServices,
  build: LoggedBuild,
  { send, signal }: { readonly send: (event: ServerEvent) => void; readonly signal: AbortSignal },
): Promise<void> {
  let sent = 0;
  const event = (lines: readonly BuildLogLine[], isComplete: boolean) =>
    send({ event: "build-log", id: String(sent), data: { lines, isComplete } });
  const onLines = (lines: readonly BuildLogLine[]) => {
    sent = lines.at(-1)?.number ?? sent;
    for (const part of inParts(lines)) event(part, false);
  };
  if (await followBuildLog(services, build, { onLines, signal })) event([], true);
}

export function bindBuildLogRoutes(router: Router, services: BuildLogServices): void {
  const { deployments, sharedBuildLogs, closing } = services;

  async function find(caller: Caller, id: string): Promise<LoggedBuild> {
    const { projectId } = await requireOwner(deployments, caller, id);
    return { projectId, deploymentId: id };
  }

  router.guarded(endpoints.getBuildLog, async (caller, { params }) => {
    const build = await find(caller, params.deployment);
    const deployment = await deployments.find(build.projectId, build.deploymentId);
    const { lines, silent } = await sharedBuildLogs.read(build);
    const isComplete = !isBeingBuilt(deployment) && !sharedBuildLogs.isOpen(build);
    return { lines: [...lines], isComplete, ...missingNodes(silent) };
  });

  router.guarded(endpoints.followBuildLog, async (caller, { params, recheck }) => {
    const build = await find(caller, params.deployment);
    const done = new AbortController();
    const subscribe = (send: (event: ServerEvent) => void) => {
      const gone = new AbortController();
      const signal = AbortSignal.any([gone.signal, closing]);
      sendAll(services, build, { send, signal }).catch((error) =>
        services.onTrouble(
          `Cannot follow the build log of ${build.deploymentId}: ${messageOf(error)}`,
        )
      ).then(() => done.abort(), () => done.abort());
      return () => gone.abort();
    };
    return eventStream(subscribe, {
      closing: AbortSignal.any([closing, done.signal]),
      recheck: async () => await find(await recheck(), params.deployment),
    });
  });
}
