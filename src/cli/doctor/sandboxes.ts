/**
 * The points of `svc doctor` about sandboxes: how servers of deployments and
 * builds from git are kept away from the machine and the platform's data.
 *
 * @module
 */
import { SANDBOX_ADVICE, type SandboxSupport } from "../../runtime/mod.ts";
import type { BuildWalls } from "../../serve/mod.ts";
import type { Point } from "./point.ts";

function judge(name: string, enforced: boolean, found: readonly [string, string]): Point {
  const [well, badly] = found;
  return enforced ? { name, state: "ok", found: well } : {
    name,
    state: "warn",
    found: `servers of deployments are refused: ${badly}`,
    advice: SANDBOX_ADVICE,
  };
}

/** Judges what the system offers for servers. */
export function judgeServerSandbox({ files, calls }: SandboxSupport): readonly Point[] {
  return [
    judge("sandbox network", calls, [
      "the kernel asks before each connection (seccomp)",
      "nothing keeps them from private addresses",
    ]),
    judge("sandbox files", files, [
      "the kernel closes files (Landlock)",
      "nothing keeps them from files of this machine",
    ]),
  ];
}

const BUILDS_FOUND: Readonly<Record<BuildWalls, string>> = {
  namespaces: "each build has a user and namespaces of its own",
  own_namespaces: "each build has namespaces of its own",
  user: "each build has a user of its own",
  open: "builds run without a sandbox",
};

const name = "build sandbox";

/** Judges what was found for builds; `undefined` where builds are refused. */
export function judgeBuildWalls(walls: BuildWalls | undefined): Point {
  if (walls !== undefined) {
    const state = walls === "open" ? "warn" : "ok";
    return { name, state, found: BUILDS_FOUND[walls] };
  }
  return {
    name,
    state: "warn",
    found: "builds from git are refused: nothing keeps them away from the platform's data",
    advice: "Run the platform as root, or allow user namespaces to its user, with util-linux " +
      "(unshare, setpriv, prlimit) installed and the program where that user can run it",
  };
}

/** Tries the sandbox that builds would run in. */
export async function buildWalls(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Point> {
  const { probeBuildWalls, WallsUndecidedError } = await import("../../serve/mod.ts");
  try {
    return judgeBuildWalls(await probeBuildWalls(env));
  } catch (error) {
    if (error instanceof WallsUndecidedError) return { name, state: "warn", found: error.message };
    throw error;
  }
}
