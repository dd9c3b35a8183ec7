/** @module The version of the program. `deno.json` is its only source. */
import config from "../../deno.json" with { type: "json" };

/** The version of svc, such as `0.1.0`. */
export const VERSION: string = config.version;
