/**
 * Types of the table of answers.
 *
 * @module
 */
import type * as z from "zod";

/** Schemas of what commands print in JSON mode, by the words of the command. */
export type Answers = Readonly<Record<string, z.ZodType>>;
