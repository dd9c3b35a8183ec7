/**
 * The inspector of a function process: `svc dev` opens it for the functions of the
 * project, a platform never.
 *
 * @module
 */

/** An inspector's address on the loopback interface. */
export interface Inspector {
  readonly port: number;
  /** Whether functions are loaded only once a debugger is there. */
  readonly waits: boolean;
}

/** Variable of the function process that has an inspector: its port, and `break` where it waits. */
export const INSPECTOR_VARIABLE = "SVC_FUNCTION_INSPECTOR";

const FORM = /^(\d{1,5})( break)?$/;

/** An inspector as the process gets it. */
export const formatInspector = ({ port, waits }: Inspector): string =>
  `${port}${waits ? " break" : ""}`;

/** The inspector that this process is to open; only such a process may read the variable. */
function readInspector(): Inspector | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: INSPECTOR_VARIABLE });
  const text = state === "granted" ? Deno.env.get(INSPECTOR_VARIABLE) : undefined;
  const [, port, waits] = FORM.exec(text ?? "") ?? [];
  return port === undefined ? undefined : { port: Number(port), waits: waits !== undefined };
}

/**
 * Opens the inspector if this process should have one.
 *
 * @returns a function that waits for a debugger once, if requested, and blocks the thread meanwhile
 */
export async function openInspector(): Promise<() => void> {
  const wanted = readInspector();
  if (wanted === undefined) return () => {};
  const { default: inspector } = await import("node:inspector");
  inspector.open(wanted.port, "127.0.0.1");
  let { waits } = wanted;
  return () => {
    if (waits) inspector.waitForDebugger();
    waits = false;
  };
}
