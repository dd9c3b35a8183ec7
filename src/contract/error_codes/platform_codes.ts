/**
 * The codes with which the platform refuses requests, explained.
 *
 * @module
 */
import type { ErrorCode } from "../common.ts";
import type { Explanation } from "./explanation.ts";

export const PLATFORM_CODES = {
  invalid_request: {
    meaning: "A field of the request, or a value of the command line, is not allowed.",
    remedy: "`problems` names each field with what is wrong: correct them and send it again. " +
      "Nothing was changed.",
    commands: [],
    guide: "api.md",
  },
  unauthorized: {
    meaning: "The platform does not know who asks: a key is missing, wrong, revoked or expired.",
    remedy: "Log in, or set SVC_TOKEN to a valid key of this platform. " +
      "A key of another platform does not count: compare `apiUrl` of svc whoami.",
    commands: ["whoami", "login"],
    guide: "accounts.md",
  },
  forbidden: {
    meaning: "The key or person is known, and may not do this.",
    remedy: "Ask an owner of the workspace for a higher role, or use a key of that role. " +
      "A key never may more than the member who made it.",
    commands: ["whoami"],
    guide: "accounts.md",
  },
  not_found: {
    meaning: "There is nothing of that name or id here, or it belongs to another workspace.",
    remedy: "Compare the name with the list, and the workspace with the one you mean.",
    commands: ["whoami", "projects list"],
    guide: "api.md",
  },
  method_not_allowed: {
    meaning: "The address exists, and does not take this method.",
    remedy: "Look the endpoint up; the field `Allow` of the answer names the methods it takes.",
    commands: [],
    guide: "api.md",
  },
  conflict: {
    meaning: "What is there already does not go together with what was asked, such as a name " +
      "that is taken or a state that has changed meanwhile.",
    remedy: "Read the message: it names what stands in the way. Read the state anew, then decide.",
    commands: ["projects list", "deployments"],
    guide: "api.md",
  },
  precondition_failed: {
    meaning: "The rules were published by somebody else since they were read.",
    remedy: "Read them anew, bring your change in, and publish again.",
    commands: ["rules list", "rules publish"],
    guide: "rules.md",
  },
  payload_too_large: {
    meaning: "The request, a file or the whole deployment is larger than the platform takes.",
    remedy: "The message names the limit. Leave out what visitors do not need, or split it.",
    commands: ["deploy"],
    guide: "api.md",
  },
  unsupported_media_type: {
    meaning: "The body of the request is not of the type that the endpoint takes.",
    remedy: "Send JSON with `Content-Type: application/json`; files go as multipart/form-data.",
    commands: [],
    guide: "api.md",
  },
  rate_limited: {
    meaning: "Too many requests came in too short a time.",
    remedy: "Wait as long as `retryAfterMs` (or the field `Retry-After`) says, then go on.",
    commands: [],
    guide: "api.md",
  },
  manifest_invalid: {
    meaning: ".svc/manifest.json, which routes a deployment's requests, breaks its format.",
    remedy: "`problems` names each place. Where a framework made it, build again; where you did, " +
      "compare it with the guide.",
    commands: ["build"],
    guide: "manifest.md",
  },
  rules_invalid: {
    meaning: "svc.rules.toml has mistakes, so nothing of it was published.",
    remedy: "Each diagnostic names line, column and what to write instead.",
    commands: ["rules check"],
    guide: "rules.md",
  },
  blob_mismatch: {
    meaning: "A file's contents do not have the digest that was announced: it changed meanwhile.",
    remedy: "Run the command again once nothing writes to the folder.",
    commands: ["deploy"],
    guide: "api.md",
  },
  blobs_missing: {
    meaning: "A deployment was to go live before all its files had arrived.",
    remedy: "Upload the files that `problems` lists by their digests, then activate it. " +
      "svc deploy does both.",
    commands: ["deploy"],
    guide: "api.md",
  },
  base_unusable: {
    meaning: "The deployment whose files were to be taken over is gone or not whole.",
    remedy: "Send the whole list of files. svc deploy does so by itself.",
    commands: ["deploy"],
    guide: "api.md",
  },
  storage_full: {
    meaning: "The disk of the platform or of a database is full. Sites are served on.",
    remedy: "Make room on the machine of the platform; writes then work again by themselves.",
    commands: ["doctor"],
    guide: "retention.md",
  },
  unavailable: {
    meaning: "The platform cannot do this for the moment, such as while its store is out of reach.",
    remedy: "Try again after `retryAfterMs`. Sites are served on.",
    commands: ["doctor"],
    guide: "platform.md",
  },
  internal: {
    meaning: "A fault of svc itself, or of the machine it runs on.",
    remedy: "Try once more. If it stays, look for the request's id in the platform's log, and " +
      "report both.",
    commands: ["doctor"],
    guide: "platform.md",
  },
} as const satisfies Readonly<Record<ErrorCode, Explanation>>;

/** The path of the platform's documentation of a code. */
export const docsOf = (code: ErrorCode): string => `/docs/errors#${code}`;
