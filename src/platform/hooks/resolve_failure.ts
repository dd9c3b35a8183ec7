/** Explains to the caller why a trigger failed. Pure. @module */
import type { Resolved, WantedCommit } from "../git/mod.ts";
import { Failure } from "../core/http/mod.ts";

/** Maximum number of candidates to list for an ambiguous SHA. */
const MAX_CANDIDATES = 10;

/** Returns the failure for a token that no hook has. */
export function unknownHook(): Failure {
  return new Failure("unauthorized", "Invalid token", {
    hint: "Check the URL: the hook was deleted, or `svc hooks regenerate` has replaced its URL.",
  });
}

/** Reports unreachable repositories as a missing branch. */
export function resolveFailure(
  resolved: Exclude<Resolved, { readonly type: "found" }>,
  wanted: WantedCommit,
): Failure {
  const { branch, commitSha = "" } = wanted;
  const because = (path: string, message: string) => ({ problems: [{ path, message }] });
  switch (resolved.type) {
    case "branch_not_found":
      return new Failure(
        "not_found",
        "Branch not found",
        because("body.branch", `The repository has no branch '${branch}'`),
      );
    case "unauthorized":
      return new Failure(
        "not_found",
        "Branch not found",
        because(
          "project",
          "Its repository is not connected, or denies access to the platform: set its URL with " +
            "`svc projects update --git-url` and its credentials with `svc projects " +
            "git-credentials`",
        ),
      );
    case "unreachable":
      return new Failure(
        "not_found",
        "Branch not found",
        because("project", `Its repository cannot be reached: ${resolved.reason}`),
      );
    case "commit_not_found":
      return new Failure(
        "not_found",
        `Commit ${commitSha} not found`,
        because("body.commitSha", "The repository has no such commit"),
      );
    case "not_on_branch":
      return new Failure(
        "invalid_request",
        `Commit ${resolved.sha} is not on branch '${branch}'`,
        because("body.commitSha", `Must be a commit on branch '${branch}'`),
      );
    case "ambiguous": {
      const candidates = resolved.candidates.slice(0, MAX_CANDIDATES);
      return new Failure(
        "invalid_request",
        `Commit ${commitSha} is ambiguous: it could be ${candidates.join(", ")}`,
        { problems: candidates.map((sha) => ({ path: "body.commitSha", message: sha })) },
      );
    }
  }
}
