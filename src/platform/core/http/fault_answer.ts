/**
 * Handles responses that cannot be made, or cannot be finished.
 *
 * @module
 */
import { BrokenBodyError } from "../../../lib/broken_body.ts";
import { OutboundError } from "../../../runtime/mod.ts";
import type { PlatformLog } from "../log.ts";

/** Whether a body broke off by the fault of a function, a server or another site. */
function isOfOthers(error: unknown): boolean {
  return error instanceof BrokenBodyError || error instanceof OutboundError;
}

/**
 * Makes the `onError` of `Deno.serve`, which receives the errors of handlers and of bodies. If a
 * body breaks off, its connection is closed, and the response from here is not sent. Only the
 * platform's own faults are logged, not functions that are killed or other sites that fail in the
 * middle of a response.
 */
export function faultAnswer(log: (line: PlatformLog) => void): (error: unknown) => Response {
  return (error) => {
    if (!isOfOthers(error)) {
      const reason = error instanceof Error ? error.stack ?? error.message : String(error);
      log({ level: "error", message: `A response could not be finished: ${reason}` });
    }
    return new Response("The platform failed to respond\n", { status: 500 });
  };
}
