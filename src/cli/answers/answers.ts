/** @module Types of the tables of results. */
import type * as z from "zod";

/** Schemas of the JSON output of commands, by the words of the command. */
export type Answers = Readonly<Record<string, z.ZodType>>;
