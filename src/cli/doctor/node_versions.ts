/** @module Checks Node, which runs the servers of Node projects, for `svc doctor`. */
import { runProgram } from "../../lib/spawn_program.ts";
import { findNode } from "../../runtime/mod.ts";
import type { Point } from "./point.ts";

const name = "node";

/** Checks the version of Node on the search path. npm downloads versions that are missing. */
export function judgeNode(version: string | undefined, hasNpm: boolean): Point {
  if (version === undefined) {
    return {
      name,
      state: "warn",
      found: "no Node on PATH, so servers on Node cannot start",
      advice: "Install Node and npm on the platform's PATH",
    };
  }
  if (hasNpm) {
    return { name, state: "ok", found: `Node ${version} and npm, which fetches other versions` };
  }
  return {
    name,
    state: "warn",
    found: `Node ${version} without npm, so servers on other versions cannot start`,
    advice: "Install npm, which fetches the Node versions that projects request",
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
