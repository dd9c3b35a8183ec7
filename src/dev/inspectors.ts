/** @module The ports of the inspectors: one for the project's own server, one for its functions. */
import type { DevOptions } from "./options.ts";

/** Port of the first inspector. */
const INSPECTOR_PORT = 9229;
/** Number of ports to try. */
const ATTEMPTS = 50;

/** Ports of the inspectors on the loopback address. A port is missing if there is no inspector. */
export interface Inspectors {
  readonly server?: number;
  readonly functions?: number;
}

const LOOPBACK = "127.0.0.1";

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: LOOPBACK, port }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) return false;
    throw error;
  }
}

function freePortFrom(first: number): number {
  for (let port = first; port < first + ATTEMPTS; port++) if (isFree(port)) return port;
  throw new Deno.errors.AddrInUse(
    `Ports ${first} to ${first + ATTEMPTS - 1} are in use, so svc cannot open an inspector`,
  );
}

/** Chooses free ports, starting at 9229, and reports if port 9229 is taken. */
export function chooseInspectors(
  { inspect, command, hasOtherFunctions, report }: Pick<
    DevOptions,
    "inspect" | "command" | "hasOtherFunctions" | "report"
  >,
): Inspectors {
  if (inspect === "off") return {};
  const first = freePortFrom(INSPECTOR_PORT);
  if (first !== INSPECTOR_PORT) {
    report.say("warn", `Port ${INSPECTOR_PORT} is in use. The inspector uses ${first}`);
  }
  return command === undefined && !hasOtherFunctions
    ? { functions: first }
    : { server: first, functions: freePortFrom(first + 1) };
}

/** Formats an inspector's address for display and for debuggers. */
export const inspectorAddress = (port: number): string => `${LOOPBACK}:${port}`;
