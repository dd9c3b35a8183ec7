/**
 * What starts the process of a server so that an ordinary user may give Node
 * namespaces of its own.
 *
 * @module
 */
import { runProgram } from "../../../lib/spawn_program.ts";

/** Keeps user, process id and standard streams; the rights hold in its own user namespace only. */
const PREFIX = ["unshare", "--user", "--map-current-user", "--keep-caps", "--"] as const;

const NOTHING = "true";

const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/**
 * Finds out what the command of the process is to begin with: nothing for root,
 * who has the right to namespaces, and where an ordinary user gets none.
 */
export async function findNamespacePrefix(): Promise<readonly string[]> {
  if (Deno.build.os !== "linux" || Deno.uid() === 0) return [];
  const [program, ...args] = PREFIX;
  try {
    const { success } = await runProgram(program, {
      args: [...args, NOTHING],
      clearEnv: true,
      env: { PATH },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
    return success ? PREFIX : [];
  } catch {
    return [];
  }
}
