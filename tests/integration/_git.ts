/**
 * Real git repositories for tests that need a platform.
 *
 * @module
 */
export {
  forgeAlike,
  git,
  type GitServer,
  makeRepository,
  makeSite,
  serveGit,
  type TestRepository,
} from "../../src/lib/test_git.ts";
