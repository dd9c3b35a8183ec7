/**
 * The points of `svc doctor` that show how servers of deployments are kept away
 * from the machine and its network.
 *
 * @module
 */
import { SANDBOX_ADVICE, type SandboxSupport } from "../../runtime/mod.ts";
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

/** Judges what the system offers. */
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
