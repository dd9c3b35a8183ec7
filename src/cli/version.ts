/** @module The version of the program, from its one source. */
import config from "../../deno.json" with { type: "json" };

/** Version of svc, such as `0.1.0`. */
export const VERSION: string = config.version;
