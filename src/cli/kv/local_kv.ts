/**
 * The local store of the project that a command is run in, and its keys.
 *
 * @module
 */
import { join } from "node:path";
import {
  DEFAULT_LOCAL_DATA_DIR,
  fitsKey,
  type LocalKv,
  LocalKvError,
  MAX_KEY_BYTES,
  openLocalKv,
} from "../../kv/mod.ts";
import { CliError } from "../errors/cli_error.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";

/** Of every command of the group, in its help. */
export const LOCAL_NOTE =
  "Uses the local store of `svc dev`: one per project, in dev.data_dir of svc.toml. You can use it while `svc dev` runs.";

/**
 * Opens the store of the current folder's project while `run` takes; only a command that `create`s
 * leaves a store if there was none.
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

/** Refuses a key that no store takes. */
export function checkKey(key: string): void {
  if (key !== "" && fitsKey(key)) return;
  throw new CliError("usage", `Keys must be 1 to ${MAX_KEY_BYTES} bytes of UTF-8`);
}

/** Refuses the beginning of keys that no store takes. */
export function checkPrefix(prefix: string): void {
  if (fitsKey(prefix)) return;
  throw new CliError("usage", `Prefixes must be at most ${MAX_KEY_BYTES} bytes of UTF-8`);
}

/** When a value expires, as the API writes times; `null` if it stays. */
export const expiryOf = (expiresAt: number | undefined): string | null =>
  expiresAt === undefined ? null : new Date(expiresAt).toISOString();
