/**
 * Mirrors of the git repositories of projects, and what they know of commits.
 *
 * @module
 */
export type { GitService, Resolved } from "./git_service.ts";
export { GitFault, GitMirrors } from "./mirrors.ts";
