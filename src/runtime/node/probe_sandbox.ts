import { fileURLToPath } from "node:url";
import * as z from "zod";
import { makeHeldFolder } from "../../lib/held_folders.ts";
import { NODE_PROBE_ARGUMENT } from "../../lib/process_arguments.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { SYSTEM_PATH } from "../../lib/system_path.ts";
import { mayMakeNamespaces } from "../process/own_namespaces.ts";
import { parsePayload } from "../process/parse_payload.ts";
import { type ProcessCommandOptions, selfCommand } from "../process/self_command.ts";
import type { FoundKind } from "./sandbox/probe_kind.ts";

/**
 * How to allow an unprivileged platform in a container to create namespaces. Added capabilities
 * would also work, but podman grants them to the platform itself.
 */
export const NAMESPACES_IN_CONTAINER =
  "in a container, add --security-opt seccomp=unconfined and --security-opt unmask=ALL (Docker: " +
  "systempaths=unconfined)";

/** Advice for operators if servers on Node cannot have namespaces. */
const NAMESPACES_ADVICE =
  "Run the platform as root, or install util-linux (unshare) and allow user namespaces for the " +
  `platform's user; ${NAMESPACES_IN_CONTAINER}`;

/** Advice for operators if Landlock and seccomp exist but servers cannot run on Node. */
const CONTAINER_ADVICE =
  "Run the platform where the system call pidfd_getfd is allowed; in a container, add --cap-add " +
  "SYS_PTRACE. Servers on Deno run without it";

/** Returns advice on how to get a better sandbox, or `undefined` if there is none. */
export function nodeSandboxAdvice({ kind }: FoundKind): string | undefined {
  if (kind === "namespaces") return undefined;
  return kind === "kernel" ? NAMESPACES_ADVICE : CONTAINER_ADVICE;
}

const foundSchema = z.object({
  kind: z.enum(["namespaces", "kernel"]).nullable(),
  reason: z.string().optional(),
});

async function probe({ env }: ProcessCommandOptions): Promise<FoundKind> {
  const self = selfCommand({
    argument: NODE_PROBE_ARGUMENT,
    main: fileURLToPath(new URL("./probe_main.ts", import.meta.url)),
    env,
    flags: () => ["--allow-all"],
  });
  await using folder = await makeHeldFolder("probe");
  const { command, args, env: own } = await mayMakeNamespaces(self(folder.path));
  const { stdout, stderr } = await runProgram(command, {
    args: [...args],
    clearEnv: true,
    env: { ...own, PATH: SYSTEM_PATH },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
  const { kind, reason } = parsePayload(foundSchema, stdout) ?? {
    kind: null,
    reason: `Its process failed: ${new TextDecoder().decode(stderr).slice(0, 500).trim()}`,
  };
  return reason === undefined ? { kind } : { kind, reason };
}

let found: Promise<FoundKind> | undefined;

/**
 * Determines which sandbox servers on Node get by starting a process that tries it. This is done
 * once, because the result does not change while the program runs.
 */
export function probeNodeSandbox(options: ProcessCommandOptions): Promise<FoundKind> {
  return found ??= probe(options);
}
