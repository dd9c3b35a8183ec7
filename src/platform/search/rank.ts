/** Ranks how well something matches a search. Pure. @module */
import type { Member } from "../../contract/workspaces.ts";
import type { DatabaseRecord } from "../databases/mod.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";

/**
 * 3 if a string equals the search string, 2 if it starts with it, 1 if it contains it, otherwise 0.
 */
function fit(text: string | null, wanted: string): number {
  const given = text?.toLowerCase() ?? "";
  if (given === wanted) return 3;
  return given.startsWith(wanted) ? 2 : given.includes(wanted) ? 1 : 0;
}

const best = (texts: readonly (string | null)[], wanted: string): number =>
  Math.max(...texts.map((text) => fit(text, wanted)));

/** How well a project matches. Its name counts more than its repository. */
export const projectRank = (
  { id, name, displayName, gitUrl }: Pick<ProjectRecord, "id" | "name" | "displayName" | "gitUrl">,
  wanted: string,
): number => 2 * best([name, displayName, id], wanted) + fit(gitUrl, wanted);

/** How well a deployment matches. The start of a commit's SHA or of an ID is enough. */
export const deploymentRank = (
  { id, message, branch, commitSha, author }: Pick<
    DeploymentRecord,
    "id" | "message" | "branch" | "commitSha" | "author"
  >,
  wanted: string,
): number =>
  Math.max(
    best([message, branch, author], wanted),
    ...[commitSha ?? "", id].map((text) => text.startsWith(wanted) ? 2 : 0),
  );

/** How well a database matches. */
export const databaseRank = ({ id, name }: Pick<DatabaseRecord, "id" | "name">, wanted: string) =>
  best([id, name], wanted);

/** How well a member matches, by name or email address. */
export const memberRank = ({ name, email }: Pick<Member, "name" | "email">, wanted: string) =>
  best([name, email], wanted);

/** The items that rank above 0, highest rank first. Items of equal rank keep their order. */
export function topOf<T>(all: readonly T[], rank: (item: T) => number, most: number): T[] {
  return all.map((item) => ({ item, rank: rank(item) }))
    .filter((each) => each.rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, most)
    .map(({ item }) => item);
}
