/** @module The environment of a build's commands, before the project's variables. Pure. */
import { join } from "node:path";
import { networkVariables } from "../../lib/network_variables.ts";
import type { BuildJobFile } from "./wire.ts";

/** Names of the variables that the build process passes to its commands. */
const PASSED = ["PATH", "HOME", "TMPDIR", "LANG"] as const;

/** This variable is allowed to change how Node runs, because a build runs in a sandbox. */
const ALLOWED_STEERING = "NODE_OPTIONS";

/**
 * Returns paths, a variable that marks the build as non-interactive, and a cache folder for each
 * package manager. The folders are kept between builds of the project.
 */
export function buildVariables(
  given: Readonly<Record<string, string>>,
  job: Pick<BuildJobFile, "cache" | "variables">,
  nodeBin: string | undefined,
): Record<string, string> {
  const env = networkVariables(given);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("SVC_") || PASSED.some((passed) => passed === name)) env[name] = value;
  }
  const options = job.variables[ALLOWED_STEERING];
  const cache = (name: string) => join(job.cache, name);
  return {
    ...env,
    ...(nodeBin === undefined ? {} : { PATH: `${nodeBin}:${env.PATH ?? ""}` }),
    ...(options === undefined ? {} : { [ALLOWED_STEERING]: options }),
    CI: "1",
    NO_UPDATE_NOTIFIER: "1",
    npm_config_cache: cache("npm"),
    npm_config_update_notifier: "false",
    npm_config_fund: "false",
    npm_config_audit: "false",
    YARN_CACHE_FOLDER: cache("yarn"),
    YARN_GLOBAL_FOLDER: cache("yarn-global"),
    YARN_ENABLE_TELEMETRY: "0",
    BUN_INSTALL_CACHE_DIR: cache("bun"),
    COREPACK_HOME: cache("corepack"),
    COREPACK_ENABLE_DOWNLOAD_PROMPT: "0",
    DENO_DIR: cache("deno"),
    DENO_NO_UPDATE_CHECK: "1",
    XDG_CACHE_HOME: cache("xdg"),
    // pnpm's store is below this folder.
    XDG_DATA_HOME: cache("data"),
    GOMODCACHE: cache("go-modules"),
    CARGO_HOME: cache("cargo"),
    CARGO_TARGET_DIR: cache("cargo-target"),
    MAVEN_OPTS: `-Dmaven.repo.local=${cache("maven")}`,
    GRADLE_USER_HOME: cache("gradle"),
    MIX_HOME: cache("mix"),
    HEX_HOME: cache("hex"),
  };
}
