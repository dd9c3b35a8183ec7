/** @module Serves the tools for agents over stdin and stdout. */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Readable, Writable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { makeServer } from "../../agents/make_server.ts";
import type { Context } from "../session/context.ts";
import { VERSION } from "../version.ts";
import { makeSurroundings } from "./surroundings.ts";
import { describeDatabase, listVariables, queryDatabase } from "../../agents/tools/data.ts";
import { explainFailure, listProjects, status, traffic } from "../../agents/tools/look.ts";
import { promote, purgeCache, rollback } from "../../agents/tools/release.ts";
import { searchLogs } from "../../agents/tools/logs.ts";
import { showErrors } from "../../agents/tools/errors.ts";
import type { Tool } from "../../agents/tool.ts";
import type { FolderSurroundings } from "./tool.ts";
import { explainCode } from "./tools/explain_code.ts";
import { createProject, deploy } from "./tools/release.ts";
import { checkRules, explainRequest, publishRules, testRules } from "./tools/rules.ts";
import { setVariable } from "./tools/set_variable.ts";

export const TOOLS: readonly Tool<FolderSurroundings>[] = [
  status,
  listProjects,
  createProject,
  deploy,
  explainFailure,
  showErrors,
  searchLogs,
  rollback,
  promote,
  checkRules,
  testRules,
  explainRequest,
  publishRules,
  purgeCache,
  listVariables,
  setVariable,
  queryDatabase,
  describeDatabase,
  traffic,
  explainCode,
];

/** Maximum length of a message from a client, in bytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

/** Serves an agent until stdin ends or the user stops the program. */
export async function serveStdio(
  ctx: Context,
  { readOnly, project }: { readonly readOnly: boolean; readonly project: string | undefined },
): Promise<void> {
  const { server, settled } = makeServer({
    tools: TOOLS,
    readOnly,
    version: VERSION,
    around: makeSurroundings(ctx, project),
  });
  const input = Readable.fromWeb(ctx.stdin() as unknown as WebStream);
  const output = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      ctx.ui.data(new TextDecoder().decode(chunk));
      done();
    },
  });
  const ended = Promise.withResolvers<void>();
  input.once("end", ended.resolve).once("close", ended.resolve).once("error", ended.reject);
  ctx.signal.addEventListener("abort", () => ended.reject(ctx.signal.reason), { once: true });
  await server.connect(
    new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES }),
  );
  try {
    await ended.promise;
    await settled();
    // The responses are written in later iterations of the event loop.
    await new Promise((resolve) => setTimeout(resolve));
  } finally {
    await server.close();
  }
}
