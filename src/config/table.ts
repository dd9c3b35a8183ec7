/** @module */
import * as z from "zod";

/** A table of `svc.toml`, which takes the given keys and no others. */
export const table = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, "Use a table");
