import { defineCommand } from "../command/command.ts";
import { CliError } from "../errors/cli_error.ts";
import { printable } from "../terminal/format.ts";
import { checkKey, expiryOf, LOCAL_NOTE, withLocalKv } from "./local_kv.ts";
import { showValue } from "./value.ts";

export default defineCommand({
  description: `Writes the raw bytes to a pipe or file. ${LOCAL_NOTE}`,
  define: (command) => command.argument("<key>", "key"),
  examples: [
    ["kv get boats/kestrel", "print a value"],
    ["kv get photo > photo.jpg", "write it to a file"],
  ],
  async run({ args: [key] }, ctx) {
    checkKey(key);
    const found = await withLocalKv(ctx, ({ store, namespace }) => store.get(namespace, key));
    if (found === undefined) {
      throw new CliError("not_found", `The local store has no key ${printable(key)}`, {
        next: ["svc kv list"],
      });
    }
    const { bytes, contentType, version, expiresAt } = found;
    ctx.ui.bytes({
      key,
      ...showValue(bytes, contentType),
      contentType,
      size: bytes.byteLength,
      version,
      expiresAt: expiryOf(expiresAt),
    }, bytes);
  },
});
