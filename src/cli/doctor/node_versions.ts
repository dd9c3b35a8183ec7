/**
 * The point of `svc doctor` about Node, which runs the servers of Node's projects.
 *
 * @module
 */
import { runProgram } from "../../lib/spawn_program.ts";
import { findNode } from "../../runtime/mod.ts";
import type { Point } from "./point.ts";

const name = "node";

/** Judges what the search path has; npm fetches the versions that it lacks. */
export function judgeNode(version: string | undefined, hasNpm: boolean): Point {
  if (version === undefined) {
    return {
      name,
      state: "warn",
      found: "no Node on the search path: servers on Node do not start",
      advice: "Install Node and npm where the platform finds them",
    };
  }
  if (hasNpm) {
    return { name, state: "ok", found: `Node ${version}, and npm, which fetches other versions` };
  }
  return {
    name,
    state: "warn",
    found: `Node ${version}, and no npm: servers on others do not start`,
    advice: "Install npm, which fetches the versions of Node that projects ask for",
  };
}

async function runsNpm(path: string): Promise<boolean> {
  try {
    const env = { PATH: path };
    const args = ["--version"];
    return (await runProgram("npm", { args, env, clearEnv: true, stdin: "null" })).success;
  } catch {
    return false;
  }
}

/** Looks for Node and npm on the platform's search path. */
export async function examineNode(path: string): Promise<Point> {
  const [node, hasNpm] = await Promise.all([findNode(path), runsNpm(path)]);
  return judgeNode(node?.version, hasNpm);
}
