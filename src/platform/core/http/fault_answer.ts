/** Handles responses that cannot be created or completed. @module */
import { BrokenBodyError } from "../../../lib/broken_body.ts";
import { OutboundError } from "../../../runtime/mod.ts";
import type { PlatformLog } from "../log.ts";

function isOfOthers(error: unknown): boolean {
  return error instanceof BrokenBodyError || error instanceof OutboundError;
}

/**
 * Returns the `onError` of `Deno.serve`: logs only the platform's own faults, not those of
 * functions or sites.
 */
export function faultAnswer(log: (line: PlatformLog) => void): (error: unknown) => Response {
  return (error) => {
    if (!isOfOthers(error)) {
      const reason = error instanceof Error ? error.stack ?? error.message : String(error);
      log({ level: "error", message: `Cannot complete a response: ${reason}` });
    }
    return new Response("The platform failed to respond\n", { status: 500 });
  };
}
