import type { KvItem, LocalKv } from "../../kv/mod.ts";
import { MAX_LIST_LIMIT } from "../../lib/kv_limits.ts";
import { formatBytes } from "../../lib/format.ts";
import { defineCommand } from "../command/command.ts";
import { wholeNumber } from "../command/option_values.ts";
import { printable } from "../terminal/format.ts";
import { checkPrefix, expiryOf, LOCAL_NOTE, withLocalKv } from "./local_kv.ts";

/** Maximum number of keys to list. */
const MAX_LISTED = 1_000_000_000;

/** Yields the keys with a prefix. Pages are requested when they are needed. */
async function* itemsOf(
  { store, namespace }: LocalKv,
  { prefix, limit }: { readonly prefix: string; readonly limit: number },
): AsyncGenerator<KvItem> {
  let after: string | undefined;
  for (let left = limit; left > 0;) {
    const size = Math.min(left, MAX_LIST_LIMIT);
    const { items, cursor } = await store.list(namespace, { prefix, limit: size, after });
    yield* items;
    left -= items.length;
    if (cursor === null) return;
    after = cursor;
  }
}

function describe({ key, size, expiresAt }: KvItem): string {
  const expiry = expiresAt === undefined ? "" : `\texpires ${expiryOf(expiresAt)}`;
  return `${printable(key)}\t${formatBytes(size)}${expiry}`;
}

export default defineCommand({
  description:
    `Prints keys in byte order as they are read. With --json, prints them in one object. ${LOCAL_NOTE}`,
  define: (command) =>
    command
      .option("--prefix <prefix>", "only keys with this prefix", "")
      .option(
        "--limit <n>",
        "maximum number (default: all)",
        wholeNumber({ min: 1, max: MAX_LISTED }),
      ),
  examples: [
    ["kv list", "list all keys"],
    ["kv list --prefix boats/ --limit 10", "list the first keys with a prefix"],
  ],
  async run({ flags: { prefix, limit = Infinity } }, ctx) {
    checkPrefix(prefix);
    const count = await withLocalKv(
      ctx,
      (local) =>
        ctx.ui.items(itemsOf(local, { prefix, limit }), {
          json: ({ key, size, version, expiresAt }) => ({
            key,
            size,
            version,
            expiresAt: expiryOf(expiresAt),
          }),
          text: describe,
        }),
    );
    if (count === 0) ctx.ui.note(prefix === "" ? "The local store is empty" : "No matching keys");
  },
});
