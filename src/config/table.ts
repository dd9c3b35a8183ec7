/** @module */
import * as z from "zod";

/** Declares a table of `svc.toml` that accepts only the given keys. */
export const table = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, "Use a table");
