/** @module The shell command and environment with which a command runs as a server. */
import type { ServerStart } from "../compute/wire.ts";
import type { NodeCommand, NodeView } from "../node/sandbox/types.ts";
import { SYSTEM_PATH } from "../../lib/system_path.ts";

/** The shell that runs the command. */
export const SHELL = "/bin/sh";

/** Environment variables that contain the server's limits. */
const limitsOf = (memoryMb: number) => ({
  // Makes Go collect garbage before it reaches its limit.
  GOMEMLIMIT: `${memoryMb}MiB`,
  SVC_MEMORY_MB: String(memoryMb),
});

/** Returns the shell's arguments, and the environment for everything that the shell starts. */
export function programCommand(
  { env, port, host, memoryMb, program }: ServerStart,
  { tmp }: NodeView,
): NodeCommand {
  const { command, image, path = [] } = program ?? {};
  const own = { PORT: String(port), HOST: host };
  // The system's user database does not know the sandbox's user.
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
      // Makes log lines arrive as soon as they are written.
      PYTHONUNBUFFERED: "1",
      // The deployment's folder is read-only.
      PYTHONDONTWRITEBYTECODE: "1",
      ...limitsOf(memoryMb),
      ...env,
      ...own,
    },
  };
}
