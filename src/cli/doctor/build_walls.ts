/**
 * The point of `svc doctor` that tells how builds from git are kept away from
 * the platform's data.
 *
 * @module
 */
import type { BuildWalls } from "../../serve/mod.ts";
import type { Point } from "./point.ts";

const FOUND: Readonly<Record<BuildWalls, string>> = {
  namespaces: "each build has a user and namespaces of its own",
  own_namespaces: "each build has namespaces of its own",
  user: "each build has a user of its own",
  open: "builds have no walls",
};

const name = "build sandbox";

/** Judges what was found on this machine. */
export function judgeBuildWalls(walls: BuildWalls | undefined): Point {
  if (walls !== undefined) {
    const state = walls === "open" ? "warn" : "ok";
    return { name, state, found: FOUND[walls] };
  }
  return {
    name,
    state: "warn",
    found: "builds from git are refused: nothing keeps them away from the platform's data",
    advice: "Run the platform as root, or allow user namespaces to its user, with util-linux " +
      "(unshare, setpriv, prlimit) installed and the program where that user can run it",
  };
}

/** Tries out what builds would run in. */
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
