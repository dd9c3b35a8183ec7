/**
 * A server that cannot go live.
 *
 * @module
 */
import { Failure } from "../core/http/mod.ts";

/** Longest line that the caller is shown, in characters. */
const MAX_LINE = 500;

/** The server of a deployment does not listen; what is live stays so. */
export class ServerNotReadyError extends Failure {
  /** `lines` are the last that the server wrote. */
  constructor(reason: string, lines: readonly string[]) {
    super("conflict", `The server did not start: ${reason}. Production is as it was`, {
      problems: lines.map((line) => ({ path: "server", message: line.slice(0, MAX_LINE) })),
    });
  }
}
