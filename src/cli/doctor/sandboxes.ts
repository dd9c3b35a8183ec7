/**
 * @module The checks that `svc doctor` runs on the sandboxes for servers and for builds from git.
 */
import {
  type FoundKind,
  missingSandbox,
  NAMESPACES_IN_CONTAINER,
  nodeSandboxAdvice,
  probeNodeSandbox,
  SANDBOX_ADVICE,
  type SandboxSupport,
} from "../../runtime/mod.ts";
import type { BuildSandbox } from "../../serve/mod.ts";
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

/** Checks which sandbox features the system offers for servers. */
export function judgeServerSandbox({ files, calls }: SandboxSupport): readonly Point[] {
  return [
    judge("sandbox network", calls, [
      "seccomp checks each connection",
      "they can reach private addresses",
    ]),
    judge("sandbox files", files, [
      "Landlock restricts access to files",
      "they can reach files on this machine",
    ]),
  ];
}

/** Checks the sandbox for Node servers. */
export function judgeNodeSandbox(found: FoundKind): Point {
  const { kind, reason } = found;
  const advice = nodeSandboxAdvice(found);
  const name = "sandbox on Node";
  if (advice === undefined) {
    const own =
      "servers on Node have a separate root folder and separate process and network namespaces";
    return { name, state: "ok", found: `${own} (namespaces)` };
  }
  const state = kind === "kernel"
    ? "servers on Node run without namespaces, with Landlock and seccomp only"
    : "servers on Node are refused";
  return {
    name,
    state: "warn",
    found: reason === undefined ? state : `${state}: ${reason}`,
    advice,
  };
}

/** Tests the sandbox for Node servers, if servers can run here. */
export async function examineNodeSandbox(
  support: SandboxSupport,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly Point[]> {
  if (missingSandbox(support).length > 0) return [];
  return [judgeNodeSandbox(await probeNodeSandbox({ env }))];
}

const BUILDS_FOUND: Readonly<Record<BuildSandbox, string>> = {
  namespaces: "each build has its own user and namespaces",
  own_namespaces: "each build has its own namespaces",
  user: "each build has its own user",
  open: "builds run without a sandbox",
};

const name = "build sandbox";

/** Checks the sandbox for builds. `kind` is `undefined` if the platform refuses to build. */
function judgeBuildSandbox(kind: BuildSandbox | undefined): Point {
  if (kind !== undefined) {
    const state = kind === "open" ? "warn" : "ok";
    return { name, state, found: BUILDS_FOUND[kind] };
  }
  return {
    name,
    state: "warn",
    found: "builds from git are refused, because they could reach the platform's data",
    advice:
      "Run the platform as root. Alternatively, allow user namespaces for the platform's user, " +
      "install util-linux (unshare, setpriv, prlimit), and put the program where that user can run " +
      "it; " +
      NAMESPACES_IN_CONTAINER,
  };
}

/** Tests the sandbox that builds would run in. */
export async function examineBuildSandbox(
  env: Readonly<Record<string, string | undefined>>,
): Promise<Point> {
  const { probeBuildSandbox, SandboxUndecidedError } = await import("../../serve/mod.ts");
  try {
    return judgeBuildSandbox(await probeBuildSandbox(env));
  } catch (error) {
    if (error instanceof SandboxUndecidedError) {
      return { name, state: "warn", found: error.message };
    }
    throw error;
  }
}
