/**
 * What is done about an answer that cannot be made, or not be finished.
 *
 * @module
 */
import { BrokenBodyError } from "../../../lib/broken_body.ts";
import { OutboundError } from "../../../runtime/mod.ts";
import type { PlatformLog } from "../log.ts";

/**
 * Makes the `onError` of `Deno.serve`, which gets the errors of handlers and of
 * bodies; where a body breaks off, its connection is cut, and the answer that
 * is made here goes nowhere. The operator is told of faults that are the
 * platform's own, not of functions that are killed or of other sites that fail
 * in the middle of an answer.
 */
export function faultAnswer(log: (line: PlatformLog) => void): (error: unknown) => Response {
  return (error) => {
    if (!(error instanceof BrokenBodyError) && !(error instanceof OutboundError)) {
      const reason = error instanceof Error ? error.stack ?? error.message : String(error);
      log({ level: "error", message: `An answer could not be finished: ${reason}` });
    }
    return new Response("The platform failed to answer\n", { status: 500 });
  };
}
