/**
 * Runs a project with its own `start` script, on this machine and without svc.
 *
 * @module
 */
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { unusedPort } from "../../src/lib/unused_port.ts";
import type { Side } from "./_likeness.ts";

/** Maximum time to wait until the project is listening, in milliseconds. */
const PATIENCE_MS = 60_000;

interface OwnStart {
  readonly folder: string;
  /** A shell command. `PORT` is set, and `PATH` includes the project's programs. */
  readonly start: string;
  readonly env: Readonly<Record<string, string>>;
}

async function isOpen(port: number): Promise<boolean> {
  for (const hostname of ["127.0.0.1", "::1"]) {
    const connection = await Deno.connect({ hostname, port }).catch(() => undefined);
    connection?.close();
    if (connection !== undefined) return true;
  }
  return false;
}

/**
 * Starts the project and calls `test` once the project is listening. After that, kills the whole
 * process group.
 */
export async function withOwnStart(
  { folder, start, env }: OwnStart,
  test: (side: Side) => Promise<void>,
): Promise<void> {
  const port = unusedPort();
  const child = new Deno.Command("sh", {
    args: ["-c", start],
    cwd: folder,
    env: {
      ...env,
      PATH: `${join(folder, "node_modules", ".bin")}:${env.PATH}`,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
    },
    clearEnv: true,
    detached: true,
    stdin: "null",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let ended = false;
  const end = child.status.then(() => ended = true);
  try {
    await until(
      () => {
        if (ended) throw new Error(`${start} has exited`);
        return isOpen(port);
      },
      (open) => open,
      PATIENCE_MS,
    );
    await test({ port, host: "localhost" });
  } finally {
    if (!ended) Deno.kill(-child.pid, "SIGKILL");
    await end;
  }
}
