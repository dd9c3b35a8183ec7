/** Explains the error codes that the platform returns when it refuses requests. @module */
import type { ErrorCode } from "../common.ts";
import type { Explanation } from "./explanation.ts";

export const PLATFORM_CODES = {
  invalid_request: {
    meaning: "The request or the command line has an invalid value.",
    remedy: "Fix each field in `problems` and send the request again. Nothing was changed.",
    commands: [],
    guide: "api.md",
  },
  unauthorized: {
    meaning: "The platform does not recognize the caller: the key is missing, wrong, revoked or " +
      "expired.",
    remedy:
      "Log in, or set SVC_TOKEN to a valid key for this platform. Keys for other platforms do " +
      "not work: check `apiUrl` in svc whoami.",
    commands: ["whoami", "login"],
    guide: "accounts.md",
  },
  forbidden: {
    meaning: "The caller is authenticated, but not allowed to do this.",
    remedy: "Use a role or key with the permission, or ask a workspace owner for it. A " +
      "key can never do more than its role, or than the person who created it.",
    commands: ["whoami"],
    guide: "accounts.md",
  },
  not_found: {
    meaning: "The resource does not exist, or it belongs to another workspace.",
    remedy: "Check the name or ID, and the current workspace.",
    commands: ["whoami", "projects list"],
    guide: "api.md",
  },
  method_not_allowed: {
    meaning: "The URL exists, but does not support this method.",
    remedy: "Use a method from the `Allow` header of the response.",
    isHint: true,
    commands: [],
    guide: "api.md",
  },
  conflict: {
    meaning:
      "The request conflicts with the current state. For example, the name is taken, or the " +
      "state has changed.",
    remedy: "The message names the conflict. Check the current state before you try again.",
    commands: ["projects list", "deployments"],
    guide: "api.md",
  },
  precondition_failed: {
    meaning: "The rules were published by someone else after you read them.",
    remedy: "Read the rules again, apply your change, then publish.",
    isHint: true,
    commands: ["rules list", "rules publish"],
    guide: "rules.md",
  },
  payload_too_large: {
    meaning: "The request, a file or the whole deployment is too large.",
    remedy: "The message gives the limit. Remove files that visitors do not need, or split the " +
      "request.",
    commands: ["deploy"],
    guide: "api.md",
  },
  unsupported_media_type: {
    meaning: "The request body has an unsupported media type.",
    remedy: "Use the Content-Type that the message names.",
    isHint: true,
    commands: [],
    guide: "api.md",
  },
  rate_limited: {
    meaning: "There were too many requests in a short time.",
    remedy: "Wait for `retryAfterMs` (or `Retry-After`), then try again.",
    isHint: true,
    commands: [],
    guide: "api.md",
  },
  manifest_invalid: {
    meaning: "The build output manifest .svc/manifest.json is not valid.",
    remedy: "Fix each place in `problems`. If a framework generated the file, build again.",
    isHint: true,
    commands: ["build"],
    guide: "manifest.md",
  },
  rules_invalid: {
    meaning: "svc.rules.toml has errors, so nothing was published.",
    remedy: "Each diagnostic includes the line, the column and a suggestion.",
    isHint: true,
    commands: ["rules check"],
    guide: "rules.md",
  },
  blob_mismatch: {
    meaning: "The contents of a file do not match its announced digest, because the file changed.",
    remedy: "Run the command again when no other program is writing to the folder.",
    isHint: true,
    commands: ["deploy"],
    guide: "api.md",
  },
  blobs_missing: {
    meaning: "A deployment was activated before all of its files were uploaded.",
    remedy: "Upload the files in `problems`, then activate the deployment. svc deploy does both.",
    isHint: true,
    commands: ["deploy"],
    guide: "api.md",
  },
  base_unusable: {
    meaning: "The base deployment is gone or incomplete, so its files cannot be reused.",
    remedy: "Send the complete list of files. svc deploy does this automatically.",
    isHint: true,
    commands: ["deploy"],
    guide: "api.md",
  },
  storage_full: {
    meaning: "A disk is full, or a queue, key-value store or blob store has reached its limit. " +
      "Sites keep working.",
    remedy:
      "If a disk is full, free some space on the platform's machine. Otherwise, delete data or " +
      "purge the queue. Writes then work again automatically.",
    isHint: true,
    commands: ["doctor"],
    guide: "retention.md",
  },
  unavailable: {
    meaning: "The platform cannot do this at the moment, for example because its store is " +
      "unreachable.",
    remedy: "Try again after `retryAfterMs`. Sites keep working.",
    isHint: true,
    commands: ["doctor"],
    guide: "platform.md",
  },
  internal: {
    meaning: "svc or the machine it runs on failed.",
    remedy: "Try again. If it still fails, report the error and the lines of the platform's log " +
      "that contain the request ID.",
    isHint: true,
    commands: ["doctor"],
    guide: "platform.md",
  },
} as const satisfies Readonly<Record<ErrorCode, Explanation>>;

/** Returns the path of the platform's documentation for a code. */
export const docsOf = (code: ErrorCode): string => `/docs/errors#${code}`;
