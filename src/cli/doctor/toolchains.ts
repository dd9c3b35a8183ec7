/**
 * The point of `svc doctor` about toolchains: with which languages this machine can build
 * and run projects.
 *
 * @module
 */
import { findToolchains, type FoundToolchain, TOOLCHAINS } from "../../runtime/mod.ts";
import type { Point } from "./point.ts";

/** Lists the toolchains that are there, and those that are not. */
export function judgeToolchains(found: readonly FoundToolchain[]): Point {
  const there = found.map(({ toolchain: { name }, version }) =>
    version === undefined ? name : `${name} ${version}`
  );
  const missing = TOOLCHAINS.filter(({ id }) => !found.some(({ toolchain }) => toolchain.id === id))
    .map(({ name }) => name);
  const listed = there.length === 0 ? "none" : there.join(", ");
  const rest = missing.length === 0 ? "" : `; missing: ${missing.join(", ")}`;
  return { name: "toolchains", state: "ok", found: `${listed}${rest}` };
}

/** Looks for the toolchains by the search path of this process. */
export async function examineToolchains(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Point> {
  return judgeToolchains(await findToolchains(env));
}
