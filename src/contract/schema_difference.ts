/** The differences between the database schemas of a deployment and the main branch. @module */
import * as z from "zod";
import { SCHEMA_KINDS } from "./database_branches.ts";

/** Maximum number of schema differences that are listed for a deployment. */
export const MAX_NAMED_CHANGES = 50;

export const schemaDifference = z.object({
  database: z.string().meta({ description: "Name of the database", example: "orders" }),
  branch: z.string().meta({
    description: "Branch that the deployment uses",
    example: "preview/feature/cart",
  }),
  changes: z.array(z.object({
    change: z.enum(["added", "removed", "changed"]).describe("How it differs from main"),
    kind: z.enum(SCHEMA_KINDS).describe("Kind of the object"),
    name: z.string().meta({
      description: "Name with its schema and table",
      example: "public.orders.note",
    }),
  })).max(MAX_NAMED_CHANGES).describe(`The first ${MAX_NAMED_CHANGES} differences`),
  total: z.int().meta({ description: "Number of differences", example: 3 }),
}).meta({ id: "SchemaDifference" });
export type SchemaDifference = z.infer<typeof schemaDifference>;

/** Whether a migration changed the database's schema. */
export const MIGRATION_OUTCOMES = ["changed", "unchanged"] as const;
