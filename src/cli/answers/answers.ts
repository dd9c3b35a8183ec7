/** @module The type of the tables that describe the JSON output of commands. */
import type * as z from "zod";

/** Schemas of JSON output, keyed by the words of the command. */
export type Answers = Readonly<Record<string, z.ZodType>>;
