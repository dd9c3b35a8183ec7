/**
 * The tools over stdin and stdout.
 *
 * @module
 */
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { Readable, Writable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { makeServer } from "../../agents/make_server.ts";
import type { Context } from "../session/context.ts";
import { VERSION } from "../version.ts";
import { makeSurroundings } from "./surroundings.ts";
import { TOOLS } from "./tools/all_tools.ts";

/** Longest message of a client, in bytes. */
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
    // The answers are written in later turns.
    await new Promise((resolve) => setTimeout(resolve));
  } finally {
    await server.close();
  }
}
