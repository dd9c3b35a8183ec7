/**
 * @module Offers logs as resources: `svc://deployments/<id>/build-log`, and `…/logs` while the
 * deployment is live.
 */
import { type McpServer, ResourceTemplate } from "@modelcontextprotocol/sdk/server/mcp.js";
import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod";
import type { Client } from "../client/client.ts";
import type { BuildLogLine } from "../contract/build_logs.ts";
import type { Deployment } from "../contract/deployments.ts";
import { endpoints } from "../contract/endpoints.ts";
import { LOG_LIMIT_MAX, type LogEntry } from "../contract/logs.ts";
import { type Surroundings, ToolFailure } from "./tool.ts";

/** Maximum length of a log, in characters. Only the end of a longer log is returned. */
const MAX_LOG = 64 * 1024;

/** Returns the last lines of a string, preceded by the number of omitted lines. */
function endOf(lines: readonly string[]): string {
  let [from, length] = [lines.length, 0];
  while (from > 0 && length + lines[from - 1]!.length < MAX_LOG) {
    length += lines[--from]!.length + 1;
  }
  const left = from === 0 ? [] : [`… ${from} earlier lines`];
  return [...left, ...lines.slice(from)].join("\n");
}

const buildLine = ({ time, level, text }: BuildLogLine): string =>
  level === "output" ? `${time} ${text}` : `${time} ${level}: ${text}`;

/**
 * Returns a deployment that the agent may see.
 *
 * @throws {ToolFailure} if it does not belong to the agent's project
 */
async function openDeployment(
  id: string,
  around: Surroundings,
): Promise<{ readonly api: Client; readonly deployment: Deployment }> {
  const unknown = () =>
    new ToolFailure({ error: `Deployment ${id} does not exist: \`status\` lists the newest ones` });
  if (!z.uuid().safeParse(id).success) throw unknown();
  const api = await around.api();
  const deployment = await api.call(endpoints.getDeployment, { params: { deployment: id } });
  if (around.project === undefined) return { api, deployment };
  const { project } = await around.open(undefined);
  if (deployment.projectId !== project.id) throw unknown();
  return { api, deployment };
}

async function readBuildLog(id: string, around: Surroundings): Promise<string> {
  const { api } = await openDeployment(id, around);
  const { lines, isComplete } = await api.call(endpoints.getBuildLog, {
    params: { deployment: id },
  });
  if (lines.length > 0) return endOf(lines.map(buildLine));
  return isComplete ? "The platform did not build this deployment" : "The build has not started";
}

async function readRuntimeLog(id: string, around: Surroundings): Promise<string> {
  const { api, deployment } = await openDeployment(id, around);
  const { items } = await api.call(endpoints.listLogs, {
    params: { project: deployment.projectId },
    query: { deploymentId: id, limit: LOG_LIMIT_MAX },
  });
  return endOf(items.map((entry: LogEntry) => JSON.stringify(entry))) || "No entries";
}

const LOGS = [
  {
    name: "build-log",
    title: "Log of a build",
    description: "Build output of a deployment",
    mimeType: "text/plain",
    read: readBuildLog,
  },
  {
    name: "logs",
    title: "Log of a deployment",
    description:
      `The newest ${LOG_LIMIT_MAX} entries of a deployment: requests and the output of its functions and servers, one JSON object per line`,
    mimeType: "application/x-ndjson",
    read: readRuntimeLog,
  },
] as const;

/** Allows an agent to read the logs of the deployments that it may see. */
export function offerLogs(
  server: McpServer,
  around: Surroundings,
  track: <Value>(work: Promise<Value>) => Promise<Value>,
): void {
  for (const { name, read, ...facts } of LOGS) {
    const text = (id: string) =>
      read(id, around).catch((error) => {
        const failure = around.toFailure(error);
        if (failure === undefined) throw error;
        throw new McpError(ErrorCode.InvalidParams, failure.message);
      });
    server.registerResource(
      name,
      new ResourceTemplate(`svc://deployments/{deployment}/${name}`, { list: undefined }),
      facts,
      async ({ href }: URL, { deployment }: Readonly<Record<string, unknown>>) => ({
        contents: [{
          uri: href,
          mimeType: facts.mimeType,
          text: await track(text(String(deployment))),
        }],
      }),
    );
  }
}
