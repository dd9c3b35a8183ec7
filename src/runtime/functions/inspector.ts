/** @module The inspector of a function process, which only `svc dev` opens. */

/** An inspector's address on the loopback interface. */
export interface Inspector {
  readonly port: number;
  /** Whether functions are loaded only after a debugger has connected. */
  readonly waits: boolean;
}

/**
 * Environment variable of a function process with an inspector: the port, and `break` if it waits.
 */
export const INSPECTOR_VARIABLE = "SVC_FUNCTION_INSPECTOR";

const FORM = /^(\d{1,5})( break)?$/;

/** Encodes an inspector's settings for the process. */
export const formatInspector = ({ port, waits }: Inspector): string =>
  `${port}${waits ? " break" : ""}`;

/**
 * Returns the inspector that this process must open. Other processes lack permission to read the
 * variable.
 */
function readInspector(): Inspector | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: INSPECTOR_VARIABLE });
  const text = state === "granted" ? Deno.env.get(INSPECTOR_VARIABLE) : undefined;
  const [, port, waits] = FORM.exec(text ?? "") ?? [];
  return port === undefined ? undefined : { port: Number(port), waits: waits !== undefined };
}

/**
 * Opens the inspector if this process should have one: immediately or, if the process waits for a
 * debugger, before its first worker starts.
 *
 * @returns a function to call before each worker starts, which blocks the thread while the process
 * waits
 */
export async function openInspector(): Promise<() => void> {
  const wanted = readInspector();
  if (wanted === undefined) return () => {};
  const { default: inspector } = await import("node:inspector");
  const open = () => inspector.open(wanted.port, "127.0.0.1");
  let { waits } = wanted;
  if (!waits) open();
  return () => {
    if (!waits) return;
    waits = false;
    // Both calls run in one turn of the event loop, because a debugger that connected between them
    // would already have continued.
    open();
    inspector.waitForDebugger();
  };
}
