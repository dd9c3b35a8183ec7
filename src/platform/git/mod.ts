/** Mirrors of projects' git repositories, and commit lookups in them. @module */
export type { CommitFiles, GitService, Resolved, WantedCommit } from "./git_service.ts";
export type { ExportedParts } from "./export_parts.ts";
export { type GitUrlRules, refuseGitUrl } from "./git_url.ts";
export { GitFault, GitMirrors } from "./mirrors.ts";
export { PUSHED_FOLDER, pushedRepository } from "./pushed_repository.ts";
export { PushedRepositories, PushOvertakenError, repositoryBlobs } from "./pushed_repositories.ts";
