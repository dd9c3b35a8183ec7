/**
 * @module Names that define who may visit a project, shared by `svc.toml`, the API and the edge.
 */

/**
 * `off`: anyone. `members`: members of the workspace; `password`: also anyone with the
 * project's password. Both apply to all hosts except production. `all` applies to production too.
 */
export const PROTECTIONS = ["off", "members", "password", "all"] as const;
export type Protection = (typeof PROTECTIONS)[number];
