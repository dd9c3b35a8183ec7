/** @module */
import * as z from "zod";

/** A table of `svc.toml` that only accepts the given keys. */
export const table = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, "Use a table");
