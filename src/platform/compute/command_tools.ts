/** Programs for start commands, in addition to those on the machine. @module */
import { join } from "node:path";
import { type BuildHost, createLineSink, fetchProjectManager } from "../../build/mod.ts";
import type { Environment } from "../../lib/network_variables.ts";
import { type ComputeServerOptions, findNpm } from "../../runtime/mod.ts";

/** Timeout for fetching a package manager, in milliseconds. */
const FETCH_MS = 5 * 60 * 1000;

/** A program that a start command needs is missing. The message is for the person who deploys. */
export class ToolMissingError extends Error {
  override readonly name = "ToolMissingError";
}

interface CommandPlace {
  readonly command: string;
  readonly directory: string;
  readonly dataDir: string;
  readonly env: Environment;
  readonly say: (message: string) => void;
}

function hostOf({ dataDir, env, say, directory }: CommandPlace): BuildHost {
  return {
    say: (_phase, _level, message) => say(message),
    warn: () => {},
    output: () => createLineSink(say),
    showPath: () => directory,
    signal: AbortSignal.timeout(FETCH_MS),
    cacheDir: join(dataDir, "cache"),
    toolsDir: join(dataDir, "tools"),
    env,
  };
}

/** Finds npm, and the package manager that scripts call. @throws {ToolMissingError} */
export async function commandTools(
  place: CommandPlace,
): Promise<NonNullable<ComputeServerOptions["tools"]>> {
  const { command, directory, env } = place;
  const npm = await findNpm(env.PATH ?? "");
  if (npm.length === 0 && /\bnp[mx]\b/.test(command)) {
    throw new ToolMissingError(
      `the start command ${
        JSON.stringify(command)
      } needs npm. Install npm on the platform's PATH, or set a command without npm as command under [server] in svc.toml`,
    );
  }
  const own = await fetchProjectManager(hostOf(place), { directory, commands: [command] })
    .catch((cause) => {
      throw new ToolMissingError(
        `its scripts call a missing package manager: ${
          cause instanceof Error ? cause.message : cause
        }`,
        { cause },
      );
    });
  return [...npm, ...own];
}
