/** Starts the program itself inside a build's sandbox. @module */
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUILD_PROCESS_ARGUMENT } from "../../../lib/build_process.ts";
import { networkFiles, networkVariables } from "../../../lib/network_variables.ts";
import { denoCache } from "../../../runtime/mod.ts";

export interface BuildProgram {
  readonly command: readonly string[];
  /** The program's files and folders, which must be visible inside the sandbox. */
  readonly needs: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The folder with compiled source, which is used only when running from source. */
  readonly denoDir?: string;
}

/** Path of the compiled source in a sandbox with its own root folder. */
export const SHOWN_DENO_DIR = "/deno";

/** Returns the environment variables for the program. */
export function programVariables(
  { env, denoDir }: BuildProgram,
  options: { readonly ownRoot: boolean },
): Record<string, string> {
  if (denoDir === undefined) return { ...env };
  return { ...env, DENO_DIR: options.ownRoot ? SHOWN_DENO_DIR : denoDir };
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Returns the command for this program, compiled or run from source. */
export function buildProgram(env: Readonly<Record<string, string | undefined>>): BuildProgram {
  const program = Deno.execPath();
  const network = networkVariables(env);
  const certificates = networkFiles(env).filter(exists);
  if (Deno.build.standalone) {
    return {
      command: [program, BUILD_PROCESS_ARGUMENT],
      needs: [program, ...certificates],
      env: network,
    };
  }
  const root = fileURLToPath(new URL("../../../../", import.meta.url)).replace(/\/$/, "");
  return {
    command: [
      program,
      "run",
      "--quiet",
      "--allow-all",
      "--no-check",
      "--cached-only",
      // Without this flag, packages could resolve to another node_modules folder, which is not
      // writable inside the sandbox.
      "--frozen",
      `--lock=${join(root, "deno.lock")}`,
      `--config=${join(root, "deno.json")}`,
      join(root, "main.ts"),
      BUILD_PROCESS_ARGUMENT,
    ],
    needs: [
      dirname(program),
      ...["main.ts", "deno.json", "deno.lock", "src", "node_modules"].map((name) =>
        join(root, name)
      ),
      ...certificates,
    ],
    env: { ...network, DENO_NO_UPDATE_CHECK: "1" },
    denoDir: denoCache(env),
  };
}
