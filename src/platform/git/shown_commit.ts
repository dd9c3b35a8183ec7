/** Reads a commit from the fields that git prints. Pure. @module */
import { branchName } from "../../contract/projects.ts";
import type { Resolved } from "./git_service.ts";

/** Maximum length of a trigger's message and author, in characters. */
const MAX_MESSAGE = 500;
const MAX_AUTHOR = 200;

/** Returns whether git accepts a name as a branch, and as nothing else. */
export function isBranchName(branch: string): boolean {
  return branchName.safeParse(branch).success;
}

/** Reads the SHA, the author and the first line of the message. */
export function readShown(
  [sha = "", author = "", message = ""]: readonly string[],
): Extract<Resolved, { readonly type: "found" }> {
  return {
    type: "found",
    sha,
    message: message.slice(0, MAX_MESSAGE).toWellFormed(),
    author: author.slice(0, MAX_AUTHOR).toWellFormed(),
  };
}
