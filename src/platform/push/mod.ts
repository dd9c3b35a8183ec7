/**
 * The platform as a git remote: `git push` builds and deploys.
 *
 * @module
 */
export { createPush } from "./create_push.ts";
