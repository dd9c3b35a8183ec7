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

/** Variables that tell the server its limits. */
const limitsOf = (memoryMb: number) => ({
  // Go collects garbage before it takes more than it may.
  GOMEMLIMIT: `${memoryMb}MiB`,
  SVC_MEMORY_MB: String(memoryMb),
});

/** Arguments of the shell, and the environment of all that it starts. */
export function programCommand(
  { env, port, host, memoryMb, program }: ServerStart,
  { tmp }: NodeView,
): NodeCommand {
  const { command, image, path = [] } = program ?? {};
  const own = { PORT: String(port), HOST: host };
  // Its user is known to no service of the machine.
  const user = { HOME: tmp, USER: "svc" };
  if (image !== undefined) {
    const [first, ...args] = command === undefined ? image.args : [SHELL, "-c", command];
    return {
      ...(first === undefined ? {} : { program: first }),
      args,
      env: { PATH: SYSTEM_PATH, ...image.env, ...user, ...limitsOf(memoryMb), ...env, ...own },
    };
  }
  if (command === undefined) throw new TypeError("The server has no command");
  return {
    program: SHELL,
    args: ["-c", command],
    env: {
      ...user,
      LANG: "C.UTF-8",
      PATH: [...path, SYSTEM_PATH].join(":"),
      // Lines of the log come when they are written.
      PYTHONUNBUFFERED: "1",
      // The folder of the deployment is read-only.
      PYTHONDONTWRITEBYTECODE: "1",
      ...limitsOf(memoryMb),
      ...env,
      ...own,
    },
  };
}
