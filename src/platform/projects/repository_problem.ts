/** Failures for refused repositories and credentials. Pure. @module */
import { Failure } from "../core/http/mod.ts";
import { gitAddress, type GitCredentials } from "./git_credentials.ts";
import type { ProjectRecord } from "./project.ts";

/** Why the platform cannot read a repository. */
export type RepositoryProblem =
  | { readonly type: "unauthorized" }
  | { readonly type: "unreachable"; readonly reason: string };

/** Returns the failure for a new project whose repository cannot be read. */
export function unreadable(
  problem: RepositoryProblem,
  { hasCredentials }: { readonly hasCredentials: boolean },
): Failure {
  const message = problem.type === "unreachable"
    ? `Cannot reach the repository: ${problem.reason}`
    : hasCredentials
    ? "The repository does not exist, or these credentials give no access to it"
    : "The repository does not exist, or is private. Check the URL, or add credentials";
  return new Failure("invalid_request", message, { problems: [{ path: "body.gitUrl", message }] });
}

/**
 * Returns the origin that credentials apply to.
 *
 * @throws {Failure} `conflict` if the project's URL cannot use them
 */
export function originOf(
  { name, gitUrl }: Pick<ProjectRecord, "name" | "gitUrl">,
  { type }: Pick<GitCredentials, "type">,
): string {
  const address = gitAddress(gitUrl);
  if (address?.transport === (type === "https" ? "http" : "ssh")) return address.origin ?? "";
  throw new Failure(
    "conflict",
    `Git credentials of type ${type} need a matching git URL, but the URL of project ` +
      `"${name}" is ${gitUrl ?? "not set"}`,
  );
}
