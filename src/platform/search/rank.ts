/** Ranks how well something matches a search. Pure. @module */
import type { Member } from "../../contract/workspaces.ts";
import type { DatabaseRecord } from "../databases/mod.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";
import type { ProjectRecord } from "../projects/mod.ts";

/**
 * Returns 3 if a text equals the search string, 2 if the text starts with the search string, 1 if
 * the text contains it, and otherwise 0.
 */
function fit(text: string | null, wanted: string): number {
  const given = text?.toLowerCase() ?? "";
  if (given === wanted) return 3;
  return given.startsWith(wanted) ? 2 : given.includes(wanted) ? 1 : 0;
}

const best = (texts: readonly (string | null)[], wanted: string): number =>
  Math.max(...texts.map((text) => fit(text, wanted)));

/** Returns how well a project matches. The name counts more than the repository. */
export const projectRank = (
  { id, name, displayName, gitUrl }: Pick<ProjectRecord, "id" | "name" | "displayName" | "gitUrl">,
  wanted: string,
): number => 2 * best([name, displayName, id], wanted) + fit(gitUrl, wanted);

/** Returns how well a deployment matches. The start of the commit's SHA or of the ID is enough. */
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

/** Returns how well a database matches. */
export const databaseRank = ({ id, name }: Pick<DatabaseRecord, "id" | "name">, wanted: string) =>
  best([id, name], wanted);

/** Returns how well a member matches, by name or email address. */
export const memberRank = ({ name, email }: Pick<Member, "name" | "email">, wanted: string) =>
  best([name, email], wanted);

/**
 * Returns the items that rank above 0, highest rank first. Items of equal rank keep their order.
 */
export function topOf<T>(all: readonly T[], rank: (item: T) => number, most: number): T[] {
  return all.map((item) => ({ item, rank: rank(item) }))
    .filter((each) => each.rank > 0)
    .sort((a, b) => b.rank - a.rank)
    .slice(0, most)
    .map(({ item }) => item);
}
