/** @module Detects a CI job that can prove which workflow it runs. */
import type { Environment } from "./global_flags.ts";

/** How a job gets its tokens: from GitHub's service, or directly in a variable. */
export type JobIdentity =
  | { readonly type: "github"; readonly url: string; readonly secret: string }
  | { readonly type: "gitlab"; readonly token: string };

const given = (value: string | undefined): value is string => value !== undefined && value !== "";

/** Detects the identity of a CI job. Returns `undefined` outside of jobs that can get tokens. */
export function findJobIdentity(env: Environment): JobIdentity | undefined {
  if (given(env.SVC_ID_TOKEN)) return { type: "gitlab", token: env.SVC_ID_TOKEN };
  const { ACTIONS_ID_TOKEN_REQUEST_URL: url, ACTIONS_ID_TOKEN_REQUEST_TOKEN: secret } = env;
  return given(url) && given(secret) ? { type: "github", url, secret } : undefined;
}
