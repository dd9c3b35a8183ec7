/**
 * The messages between the platform and its edges on this machine, as lines of JSON on standard
 * input and output. Both processes run the platform's own program and use private pipes.
 *
 * @module
 */
import * as z from "zod";
import type { GivenLimits } from "../../platform/core/listener/mod.ts";

const setup = z.object({
  type: z.literal("setup"),
  /** Loopback port on which the platform serves its edges. */
  originPort: z.int(),
  key: z.string(),
  host: z.string(),
  port: z.int(),
  /** Folder with the platform's files; missing if the files are in object storage. */
  files: z.string().optional(),
  /** Folder for cached copies of files, if `files` is missing. */
  cacheDir: z.string(),
  cacheBytes: z.int(),
  memoryBytes: z.int(),
  responseBytes: z.int(),
  trustProxy: z.array(z.string()),
  geoip: z.string().optional(),
  asn: z.string().optional(),
  connections: z.custom<GivenLimits>((value) => typeof value === "object"),
  version: z.string(),
});
export type EdgeSetup = z.infer<typeof setup>;

/**
 * Messages from the platform: the edge's setup, then instructions to listen, to close each
 * connection after its next response, and to stop.
 */
export const toEdge = z.discriminatedUnion("type", [
  setup,
  z.object({ type: z.enum(["listen", "leave", "stop"]) }),
]);
export type ToEdge = z.infer<typeof toEdge>;

/**
 * Messages from the edge, which report that it has loaded all sites, accepts connections, or has
 * stopped accepting them.
 */
export const fromEdge = z.discriminatedUnion("type", [
  z.object({ type: z.enum(["ready", "listening", "left"]) }),
  z.object({
    type: z.literal("log"),
    level: z.enum(["info", "warn", "error"]),
    message: z.string(),
  }),
]);
export type FromEdge = z.infer<typeof fromEdge>;

/** Reads the lines of a stream as messages. An unknown message ends the stream with an error. */
export async function* messagesOf<T>(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  schema: z.ZodType<T>,
): AsyncGenerator<T> {
  let rest = "";
  for await (const part of stream.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${part}`.split("\n");
    rest = lines.pop()!;
    for (const line of lines) yield schema.parse(JSON.parse(line));
  }
}
