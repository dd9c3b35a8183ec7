/**
 * The tools over stdin and stdout.
 *
 * @module
 */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Readable, Writable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { dirname } from "node:path";
import { credentialsPath } from "../../config/mod.ts";
import { MAX_VARIABLE_BYTES } from "../../contract/mod.ts";
import type { Context } from "../session/mod.ts";
import { makeServer } from "./make_server.ts";
import { type FileLimits, readProjectFile } from "./read_project_file.ts";
import { type Answer, type CommandCall, CommandFailure } from "./tool.ts";
import { TOOLS } from "./tools/mod.ts";

/** Longest message of a client, in bytes. */
const MAX_MESSAGE_BYTES = 1024 * 1024;

async function runCommand(
  ctx: Context,
  words: readonly string[],
  { folder, stdin }: CommandCall = {},
): Promise<Answer> {
  const { answer } = await ctx.call(words, {
    ...(folder === undefined ? {} : { cwd: ctx.path(folder) }),
    ...(stdin === undefined ? {} : { stdin }),
  });
  if ("error" in answer) throw new CommandFailure(answer);
  return answer;
}

function fileLimits({ cwd, env }: Context): FileLimits {
  const home = env.HOME ?? env.USERPROFILE;
  const { XDG_CONFIG_HOME: xdgConfigHome } = env;
  const credentials = home === undefined ? [] : [
    dirname(credentialsPath({ home, ...xdgConfigHome === undefined ? {} : { xdgConfigHome } })),
  ];
  // A value may end with a line break, which does not count.
  return { start: cwd, home, refused: credentials, maxBytes: MAX_VARIABLE_BYTES + 2 };
}

/** Serves an agent until stdin ends or the user stops the program. */
export async function serveStdio(
  ctx: Context,
  { readOnly, project }: { readonly readOnly: boolean; readonly project: string | undefined },
): Promise<void> {
  const { server, settled } = makeServer({
    tools: TOOLS,
    readOnly,
    around: {
      project,
      env: (name) => ctx.env[name],
      svc: (...call) => runCommand(ctx, ...call),
      readFile: (path, folder) => readProjectFile(path, folder, fileLimits(ctx)),
    },
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
    // The answers are written in later turns.
    await new Promise((resolve) => setTimeout(resolve));
  } finally {
    await server.close();
  }
}
