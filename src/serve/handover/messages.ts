/** Messages between a platform and its successor, as lines of JSON over a socket. @module */
import * as z from "zod";

const port = z.int().min(1).max(65_535);

/** Messages from the successor, in this order. */
export const successorSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("replace"), pid: z.int().positive() }),
  /** The successor listens on the ports, but new connections still go to the other platform. */
  z.object({ type: z.literal("listening") }),
  /** The successor serves requests, including those on this socket. */
  z.object({ type: z.literal("ready"), requests: z.string().min(1).max(4096) }),
]);

/** Messages from the leaving platform, in this order. */
export const predecessorSchema = z.discriminatedUnion("type", [
  /**
   * The leaving platform's ports can now be shared. `sockets` is the number of the platform's
   * sockets on each port.
   */
  z.object({
    type: z.literal("shared"),
    port,
    httpsPort: port.optional(),
    sockets: z.object({ http: z.int().min(1), https: z.int().min(0) }),
  }),
  z.object({ type: z.literal("refused"), reason: z.string().max(4096) }),
  /** The data directory is free. */
  z.object({ type: z.literal("released") }),
  /** The leaving platform no longer listens. */
  z.object({ type: z.literal("closed") }),
]);

export type FromSuccessor = z.infer<typeof successorSchema>;
export type FromPredecessor = z.infer<typeof predecessorSchema>;

/** An error if the other process has exited or violates the protocol. */
export class HandoverError extends Error {
  override readonly name = "HandoverError";
}

const MAX_LINE_BYTES = 16 * 1024;

/** Messages over one connection. */
export class MessageLink<Received extends { readonly type: string }, Sent> {
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  readonly #buffer = new Uint8Array(MAX_LINE_BYTES);
  #text = "";

  readonly #conn: Deno.Conn;
  readonly #schema: z.ZodType<Received>;

  constructor(conn: Deno.Conn, schema: z.ZodType<Received>) {
    this.#conn = conn;
    this.#schema = schema;
  }

  /** Sends a message. The next {@link receive} reports a failed delivery. */
  async send(message: Sent): Promise<void> {
    const bytes = this.#encoder.encode(`${JSON.stringify(message)}\n`);
    try {
      for (let at = 0; at < bytes.byteLength;) at += await this.#conn.write(bytes.subarray(at));
    } catch { /* the other side has stopped */ }
  }

  /** @throws {HandoverError} if the next message has a different type, or if there is none. */
  async receive<Type extends Received["type"]>(
    ...types: readonly Type[]
  ): Promise<Extract<Received, { readonly type: Type }>> {
    const line = await this.#line();
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch { /* refused by the schema */ }
    const message = this.#schema.safeParse(parsed);
    if (message.success && (types as readonly string[]).includes(message.data.type)) {
      return message.data as Extract<Received, { readonly type: Type }>;
    }
    throw new HandoverError(
      `Expected the message ${types.join(" or ")}, but got ${line.slice(0, 80)}`,
    );
  }

  close(): void {
    try {
      this.#conn.close();
    } catch { /* closed already */ }
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#text.indexOf("\n");
      if (end !== -1) {
        const line = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 1);
        return line;
      }
      if (this.#text.length > MAX_LINE_BYTES) {
        throw new HandoverError("A message from the other platform is too long");
      }
      const length = await this.#conn.read(this.#buffer).catch(() => null);
      if (length === null) throw new HandoverError("The other platform has stopped");
      this.#text += this.#decoder.decode(this.#buffer.subarray(0, length), { stream: true });
    }
  }
}
