/** Opens a key-value store in PostgreSQL. @module */
import { messageOf } from "../../../lib/error_message.ts";
import type { Environment } from "../../../lib/network_variables.ts";
import { openPgStore, parseStoreUrl, type PgStore, type RecordStore } from "../../../store/mod.ts";
import { batchingCommitter } from "./group_committer.ts";
import { GroupedStore } from "./grouped_store.ts";
import { PortableStore } from "./portable_store.ts";
import { describeDamage, markDamaged } from "./set_aside.ts";

const BROKEN_KEY = "Its key was changed on disk";

/** @throws if the URL, a file that it names, or the server is invalid. */
export function openPg(url: string, env: Environment): Promise<PgStore> {
  return openPgStore(parseStoreUrl(url, {
    variable: (name) => env[name],
    readFile: (path) => Deno.readTextFileSync(path),
  }));
}

/**
 * Wraps a store as the platform uses it: with encoded values, and with concurrent commits in one
 * call.
 */
export function wrapPg({ kv }: PgStore, onDamaged?: (message: string) => void): RecordStore {
  if (onDamaged !== undefined) {
    kv.onUnreadable = (encoded) => {
      onDamaged(describeDamage([encoded], new Error(BROKEN_KEY)));
      markDamaged(kv, encoded).catch((error) => onDamaged(messageOf(error)));
    };
  }
  const options = onDamaged === undefined ? {} : { onDamaged };
  return new PortableStore(new GroupedStore(kv, batchingCommitter(kv)), options);
}
