/** Servers run only in a complete sandbox, unless the operator allows less. @module */
import type { Health } from "../../contract/system.ts";
import {
  type FoundKind,
  missingSandbox,
  nodeSandboxAdvice,
  SANDBOX_ADVICE,
  type SandboxSupport,
} from "../../runtime/mod.ts";

export interface ServerSettings {
  /** Runs servers even if the system does not support the complete sandbox. */
  readonly allowUnsandboxed: boolean;
  /** The sandbox features that the system supports. */
  readonly support: SandboxSupport;
}

export interface ServerSandbox {
  /**
   * `enforced`: servers run in the complete sandbox. `refused`: the sandbox is incomplete, so no
   * server runs. `unsandboxed`: the sandbox is incomplete, but servers run anyway.
   */
  readonly sandbox: "enforced" | "refused" | "unsandboxed";
  /** The missing features, as noun phrases. */
  readonly missing: readonly string[];
}

export function judgeServerSandbox(
  { allowUnsandboxed, support }: ServerSettings,
): ServerSandbox {
  const missing = missingSandbox(support);
  if (missing.length === 0) return { sandbox: "enforced", missing };
  return { sandbox: allowUnsandboxed ? "unsandboxed" : "refused", missing };
}

/** Describes the sandbox for Node servers. Calls `probe` only if servers have a sandbox. */
export async function judgeNodeSandbox(
  { sandbox }: ServerSandbox,
  probe: () => Promise<FoundKind>,
): Promise<Health["servers"]["node"]> {
  if (sandbox !== "enforced") return { sandbox, reason: null, advice: SANDBOX_ADVICE };
  const found = await probe();
  return {
    sandbox: found.kind ?? "refused",
    reason: found.reason ?? null,
    advice: nodeSandboxAdvice(found) ?? null,
  };
}

/**
 * Returns the warning for the operator at startup, or `undefined` if there is nothing to warn
 * about.
 */
export function sandboxWarning({ sandbox, missing }: ServerSandbox): string | undefined {
  if (sandbox === "enforced") return undefined;
  const lack = `this system lacks ${missing.join(" and ")}`;
  return sandbox === "refused"
    ? `Deployment servers are refused: ${lack}. ${SANDBOX_ADVICE}`
    : `Deployment servers run without a full sandbox (--allow-unsandboxed-servers): ${lack}. Their code can read this machine's files and reach its private network`;
}

/** Servers cannot run on this platform. The message is for the person who deploys. */
export class ServersRefusedError extends Error {
  override readonly name = "ServersRefusedError";
  constructor(sandbox: ServerSandbox) {
    super(refusalOf(sandbox));
  }
}

/** Returns why a server is not started, as a message for the person who deploys. */
export function refusalOf({ missing }: ServerSandbox): string {
  return `Servers are turned off on this platform, because its system lacks ${
    missing.join(" and ")
  }. The operator can use another system, or --allow-unsandboxed-servers`;
}
