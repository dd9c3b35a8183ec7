/** @module Opens the current project's local store, and checks keys. */
import { join } from "node:path";
import { DEFAULT_LOCAL_DATA_DIR, type LocalKv, LocalKvError, openLocalKv } from "../../kv/mod.ts";
import { fitsKey, MAX_KEY_BYTES } from "../../lib/kv_limits.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";

/** Part of the help for every command in the group. */
export const LOCAL_NOTE =
  "Uses the project's local store for `svc dev`, in the folder that dev.data_dir in svc.toml names. You can use it while `svc dev` is running.";

/**
 * Opens the store of the current folder's project for the duration of `run`. Creates a missing
 * store only if `create` is set.
 */
export async function withLocalKv<T>(
  ctx: Context,
  run: (local: LocalKv) => Promise<T>,
  { create = false }: { readonly create?: boolean } = {},
): Promise<T> {
  const { directory, config } = await openProjectFolder(ctx);
  const dataDir = join(directory, config?.dev.dataDir ?? DEFAULT_LOCAL_DATA_DIR);
  using local = await openLocalKv(dataDir, { create }).catch((error) => {
    if (!(error instanceof LocalKvError)) throw error;
    throw new CliError("data_dir_unusable", error.message, { cause: error });
  });
  return await run(local);
}

/** Rejects a key that no store accepts. */
export function checkKey(key: string): void {
  if (key !== "" && fitsKey(key)) return;
  throw new CliError("usage", `Keys must be 1 to ${MAX_KEY_BYTES} bytes of UTF-8`);
}

/** Rejects a key prefix that no store accepts. */
export function checkPrefix(prefix: string): void {
  if (fitsKey(prefix)) return;
  throw new CliError("usage", `Prefixes must be at most ${MAX_KEY_BYTES} bytes of UTF-8`);
}

/** Returns when a value expires, in the API's format, or `null` if it does not expire. */
export const expiryOf = (expiresAt: number | undefined): string | null =>
  expiresAt === undefined ? null : new Date(expiresAt).toISOString();
