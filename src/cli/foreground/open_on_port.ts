/** @module Listens on the requested port, or on the next free port. */
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

/** Port that `svc dev` and `svc preview` listen on, unless a flag names another. */
export const DEFAULT_PORT = 4321;
/** Maximum number of ports to try. */
const ATTEMPTS = 50;
const LAST_PORT = 65_535;

/**
 * Listens on a port. If the port is taken and alternatives are allowed, uses the next free port and
 * reports it.
 *
 * @throws {CliError} `port_in_use`
 */
export async function openOnPort<T>(
  { ui }: Pick<Context, "ui">,
  { port, mayMove }: { readonly port: number; readonly mayMove: boolean },
  open: (port: number) => T | Promise<T>,
): Promise<T> {
  const last = mayMove ? Math.min(port + ATTEMPTS - 1, LAST_PORT) : port;
  for (let next = port;; next++) {
    try {
      const opened = await open(next);
      if (next !== port) ui.log("deploy", "warn", `Port ${port} is in use. Using ${next}`);
      return opened;
    } catch (cause) {
      if (!(cause instanceof Deno.errors.AddrInUse)) throw cause;
      if (next < last) continue;
      const ports = last === port ? `${port} is` : `${port} to ${last} are`;
      throw new CliError("port_in_use", `Port in use: ${ports} taken`, {
        hint: "Choose another one with --port <port>. Port 0 uses any free port",
        cause,
      });
    }
  }
}
