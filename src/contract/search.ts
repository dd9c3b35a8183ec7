/** Search in a workspace. @module */
import * as z from "zod";
import { uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";

/** Maximum length of a search text, in characters. */
export const MAX_SEARCH_LENGTH = 100;
/** Maximum number of results for each kind. */
export const SEARCH_RESULTS = 10;

const searchResult = z.object({
  kind: z.enum(["project", "deployment", "domain", "database", "member"]).describe(
    "Kind of the result",
  ),
  id: uuid.describe("ID; for a member, the ID of the account"),
  project: z.string().nullable().describe(
    "Name of the project; null for a member",
  ),
  title: z.string().describe("Title of the result").meta({ example: "Lanterns on the quay" }),
  detail: z.string().describe("More about the result").meta({ example: "feature/lanterns" }),
}).meta({ id: "SearchResult" });
export type SearchResult = z.infer<typeof searchResult>;

export const search = endpoint({
  method: "GET",
  path: "/v1/search",
  summary: "Search the projects, deployments, domains, databases and members of the workspace",
  tag: "Workspaces",
  query: z.object({
    query: z.string().trim().max(MAX_SEARCH_LENGTH).default("").describe(
      "Part of a name, repository, message, branch, hostname or email address, or a commit or ID. Case-insensitive",
    ),
  }),
  response: z.object({
    items: z.array(searchResult).describe(
      `Projects, deployments, domains, databases, then members; at most ${SEARCH_RESULTS} of each`,
    ),
  }),
});
