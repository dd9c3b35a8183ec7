/** @module Handles one message from an agent. Messages share no state. */
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { makeServer } from "../../agents/make_server.ts";
import type { Surroundings, Tool } from "../../agents/tool.ts";
import type { Endpoint } from "../../contract/endpoint.ts";
import { deployFiles, makeProject } from "../../agents/tools/upload.ts";
import { describeDatabase, listVariables, queryDatabase } from "../../agents/tools/data.ts";
import { explainFailure, listProjects, status, traffic } from "../../agents/tools/look.ts";
import { promote, purgeCache, rollback } from "../../agents/tools/release.ts";
import { searchLogs } from "../../agents/tools/logs.ts";
import { showErrors } from "../../agents/tools/errors.ts";

export const TOOLS: readonly Tool<Surroundings>[] = [
  status,
  listProjects,
  makeProject,
  deployFiles,
  explainFailure,
  showErrors,
  searchLogs,
  rollback,
  promote,
  purgeCache,
  listVariables,
  queryDatabase,
  describeDatabase,
  traffic,
];

/** Handles a request whose body has already been parsed. */
export async function answerAgent(request: Request, { body, around, readOnly, mayCall, version }: {
  readonly body: unknown;
  readonly around: Surroundings;
  readonly readOnly: boolean;
  /** Whether the credential allows a given API call. */
  readonly mayCall: (endpoint: Endpoint) => boolean;
  readonly version: string;
}): Promise<Response> {
  const tools = TOOLS.filter(({ needs }) => needs === undefined || mayCall(needs));
  const { server, settled } = makeServer({ version, tools, around, readOnly });
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    const answer = await transport.handleRequest(request, { parsedBody: body });
    await settled();
    return answer;
  } finally {
    await server.close();
  }
}
