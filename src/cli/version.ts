/** @module The version of the program. `deno.json` is its only source. */
import config from "../../deno.json" with { type: "json" };

/** Version of svc, such as `0.1.0`. */
export const VERSION: string = config.version;
