/** Callers, their permissions and their rate limits. @module */
export {
  type Caller,
  type CallerUser,
  type Credential,
  type CredentialOwner,
  isInScope,
  isPermitted,
  type KeyGrant,
  type Person,
  type PersonalScope,
  reachesProject,
  type Role,
  type SelfCaller,
  selfCallerOf,
} from "./caller.ts";
export { type RateStanding, RateWindow } from "./rate_window.ts";
