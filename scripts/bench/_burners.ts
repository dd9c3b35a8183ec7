/**
 * Processes that do nothing but compute, to compete for the processors. The slowdown of a bare
 * server shows how much CPU time the machine lacks.
 *
 * @module
 */

/** Priority of these processes. Builds and functions have the same priority. */
export const BURNER_NICE = 10;

/** Calls `run` while `count` single-threaded burners are running. */
export async function withBurners<T>(count: number, run: () => Promise<T>): Promise<T> {
  const burners = Array.from({ length: count }, () =>
    new Deno.Command("nice", {
      args: ["-n", String(BURNER_NICE), "sha256sum", "/dev/zero"],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn());
  try {
    return await run();
  } finally {
    for (const burner of burners) {
      burner.kill();
      await burner.status;
    }
  }
}
