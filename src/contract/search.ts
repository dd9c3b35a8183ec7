/**
 * Search over what a workspace holds.
 *
 * @module
 */
import * as z from "zod";
import { uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

/** Longest text that is searched for, in characters. */
export const MAX_SEARCH_LENGTH = 100;
/** Most results of each kind. */
export const SEARCH_RESULTS = 10;

export const searchResult = z.object({
  kind: z.enum(["project", "deployment", "domain", "database", "member"]).describe(
    "What was found",
  ),
  id: uuid.describe("Its id; that of the account for a member"),
  project: z.string().nullable().describe(
    "Name of the project that it is, or belongs to; null for a member",
  ),
  title: z.string().describe("What it is called").meta({ example: "Lanterns on the quay" }),
  detail: z.string().describe("What else is known of it").meta({ example: "feature/lanterns" }),
}).meta({ id: "SearchResult" });
export type SearchResult = z.infer<typeof searchResult>;

export const search = endpoint({
  method: "GET",
  path: "/v1/search",
  summary: "Find projects, deployments, domains, databases and members of the workspace by a text",
  tag: "Workspaces",
  query: z.object({
    query: z.string().trim().max(MAX_SEARCH_LENGTH).default("").describe(
      "Part of a name, repository, message, branch, hostname or address, or a commit or id; letters of " +
        "either case are the same",
    ),
  }),
  response: z.object({
    items: z.array(searchResult).describe(
      `Projects, deployments, domains, databases, then members: ${SEARCH_RESULTS} of each at most`,
    ),
  }),
});
