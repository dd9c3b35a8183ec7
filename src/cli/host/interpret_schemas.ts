/** @module How the CLI runs schemas. */
import * as z from "zod";

/**
 * Makes zod interpret the schemas that are created from now on. By default, it compiles each schema
 * at its first use. For most commands, that takes longer than checking all of their data.
 */
export function interpretSchemas(): void {
  z.config({ jitless: true });
}
