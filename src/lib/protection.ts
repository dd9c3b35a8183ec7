/**
 * @module Names that define who may visit a project, shared by `svc.toml`, the API and the edge.
 */

/**
 * `off`: everyone. `members`: only members of the workspace. `password`: also anyone with the
 * project's password. `members` and `password` protect all hosts except production. `all` protects
 * production too.
 */
export const PROTECTIONS = ["off", "members", "password", "all"] as const;
export type Protection = (typeof PROTECTIONS)[number];
