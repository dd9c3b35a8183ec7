import { Option } from "@commander-js/extra-typings";
import { MAX_TTL_SECONDS, MAX_VALUE_BYTES } from "../../lib/kv_limits.ts";
import { formatBytes } from "../../lib/format.ts";
import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { printable } from "../terminal/format.ts";
import { checkKey, LOCAL_NOTE, withLocalKv } from "./local_kv.ts";
import { mediaTypeOf, VALUE_TYPES, type ValueType } from "./value.ts";

function assertFits(bytes: number): void {
  if (bytes <= MAX_VALUE_BYTES) return;
  throw new CliError("usage", `The value is larger than ${MAX_VALUE_BYTES / 1024} KiB`);
}

/** Returns the given value, or the exact bytes of standard input. */
async function readValue(
  ctx: Context,
  given: string | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  if (given !== undefined) {
    const bytes = new TextEncoder().encode(given);
    assertFits(bytes.byteLength);
    return bytes;
  }
  if (ctx.stdinIsTerminal) {
    throw new CliError(
      "usage",
      "No value: pass it as an argument or pipe it in: svc kv set <key> < file",
    );
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const chunk of ctx.stdin()) {
    size += chunk.byteLength;
    assertFits(size);
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function typeOf(bytes: Uint8Array, given: ValueType | undefined): string {
  try {
    return mediaTypeOf(bytes, given);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new CliError("usage", `The value is not ${given}: ${error.message}`);
  }
}

export default defineCommand({
  description:
    `Reads the value from stdin if it is not passed as an argument. Stores a JSON object or array as JSON, other UTF-8 as text, and anything else as bytes, unless you set --type. ${LOCAL_NOTE}`,
  define: (command) =>
    command
      .argument("<key>", "key")
      .argument("[value]", "value (default: stdin)")
      .option(
        "--ttl <seconds>",
        "remove it after this time",
        wholeNumber({ min: 1, max: MAX_TTL_SECONDS }),
      )
      .addOption(new Option("--type <type>", "type of the value").choices(VALUE_TYPES)),
  examples: [
    ["kv set greeting hello", "set text"],
    [`kv set boats/kestrel '{"feet":40}'`, "set JSON"],
    ["kv set session abc --ttl 3600", "expire after an hour"],
    ["kv set photo < photo.jpg", "set bytes from a file"],
  ],
  async run({ args: [key, given], flags }, ctx) {
    checkKey(key);
    const bytes = await readValue(ctx, given);
    const contentType = typeOf(bytes, flags.type);
    const result = await withLocalKv(
      ctx,
      ({ store, namespace }) =>
        store.set(namespace, key, { bytes, contentType, ttlSeconds: flags.ttl }),
      { create: true },
    );
    if (result.type !== "set") {
      throw new CliError("conflict", `Cannot set ${printable(key)}: it keeps changing. Try again`);
    }
    const size = bytes.byteLength;
    ctx.ui.done("env", `Set ${printable(key)}: ${formatBytes(size)}, ${contentType}`);
    ctx.ui.result({ key, contentType, size, version: result.version }, "");
  },
});
