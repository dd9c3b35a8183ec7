/**
 * How a command is run as a server. Pure.
 *
 * @module
 */
import type { ServerStart } from "../compute/wire.ts";
import type { NodeCommand, NodeView } from "../node/sandbox/types.ts";
import { SYSTEM_PATH } from "./system_path.ts";

/** Runs the command. */
export const SHELL = "/bin/sh";

/** Arguments of the shell, and the environment of all that it starts. */
export function programCommand(
  { env, port, host, memoryMb, program }: ServerStart,
  { tmp }: NodeView,
): NodeCommand {
  if (program === undefined) throw new TypeError("The command of the server is missing");
  return {
    program: SHELL,
    args: ["-c", program.command],
    env: {
      // Its user is known to no service of the machine.
      HOME: tmp,
      USER: "svc",
      LANG: "C.UTF-8",
      PATH: [...program.path, SYSTEM_PATH].join(":"),
      // Lines of the log come when they are written.
      PYTHONUNBUFFERED: "1",
      // The folder of the deployment is read-only.
      PYTHONDONTWRITEBYTECODE: "1",
      // Go collects garbage before it takes more than it may.
      GOMEMLIMIT: `${memoryMb}MiB`,
      SVC_MEMORY_MB: String(memoryMb),
      ...env,
      PORT: String(port),
      HOST: host,
    },
  };
}
