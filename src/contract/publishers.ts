/**
 * Trusted publishers: workflows of GitHub Actions and GitLab CI that exchange their job's token
 * (OpenID Connect) for a key that is valid for a few minutes. CI then does not have to store a
 * secret.
 *
 * @module
 */
import * as z from "zod";
import { page, pageQuery, timestamp, uuid } from "./common.ts";
import { endpoint } from "./endpoint.ts";
import { MAX_KEY_PROJECTS, permissions } from "./permissions.ts";
import { BRANCH_MAX } from "./projects.ts";

const tag = "Trusted publishers";

/** The grant type of a token exchange (RFC 8693). */
export const EXCHANGE_GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
/** Types of accepted tokens. */
export const SUBJECT_TOKEN_TYPES = [
  "urn:ietf:params:oauth:token-type:id_token",
  "urn:ietf:params:oauth:token-type:jwt",
] as const;
/** The `issued_token_type` in responses (RFC 8693, 2.2.1). */
export const ISSUED_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";

export const PUBLISHER_PROVIDERS = ["github", "gitlab"] as const;
export type PublisherProvider = (typeof PUBLISHER_PROVIDERS)[number];

/** Default token issuer of each provider. */
export const USUAL_ISSUERS: Readonly<Record<PublisherProvider, string>> = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
};

/** Maximum number of publishers per workspace. */
export const MAX_PUBLISHERS = 100;
/** Lifetime of a publisher's key, in seconds. */
export const KEY_SECONDS = { min: 300, usual: 900, max: 3600 } as const;

/**
 * Declares a string that contains only characters that can occur in names in either provider's
 * tokens. `*` matches any text.
 */
const plain = (most: number) =>
  z.string().min(1, "Must not be empty").max(most, `Must be at most ${most} characters`).refine(
    // This check is not a pattern in the schema, because some validators of the document do not
    // support Unicode properties.
    (text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text),
    "Must not contain control characters",
  );
const pattern = plain(BRANCH_MAX).refine(
  (text) => text.split("*").length <= 10,
  "Must contain at most nine *",
);

/** Maximum length of an issuer, and of the path of a repository, in characters. */
export const ISSUER_MAX = 300;
export const REPOSITORY_MAX = 500;

const issuer = z.string().max(ISSUER_MAX).refine((text) => {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" &&
    url.password === "" && !/[?#\s\\]|\/$/.test(text) &&
    (url.href === text || url.href === `${text}/`);
}, "Must be the https URL in the `iss` claim of the tokens, without a trailing /");

const repository = z.string().max(REPOSITORY_MAX).regex(
  /^[\w.-]+(?:\/[\w.-]+)+$/,
  "Must be a path such as acme/shop",
).refine(
  (path) => path.split("/").every((part) => part !== "." && part !== ".."),
  "Must not contain the segments . or ..",
);

/** A file in `.github/workflows`, or a pipeline configuration. */
const workflow = plain(255).refine(
  (name) => !name.includes("@") && !name.startsWith("/"),
  "Must be the name of a workflow file, such as deploy.yml",
);

/** The token claims that identify a publisher. */
const trust = {
  provider: z.enum(PUBLISHER_PROVIDERS).describe("CI provider")
    .meta({ example: "github" }),
  issuer: issuer.describe("Issuer of the tokens").meta({ example: USUAL_ISSUERS.github }),
  repository: repository.describe("Path of the repository").meta({ example: "acme/shop" }),
  branch: pattern.nullable().describe("Branch, or a pattern with *; null for any")
    .meta({ example: "main" }),
  tag: pattern.nullable().describe("Tag, or a pattern with *; null for none")
    .meta({ example: null }),
  environment: plain(255).nullable().describe("Job environment; null for any")
    .meta({ example: "production" }),
  workflow: workflow.nullable().describe("Workflow file; null for any")
    .meta({ example: "deploy.yml" }),
  subject: plain(500).nullable().describe(
    "`sub` claim of the token, or a pattern with *; null for any",
  )
    .meta({ example: null }),
  pullRequests: z.boolean().describe("Whether runs for pull and merge requests are trusted")
    .meta({ example: false }),
};

const granted = {
  permissions: permissions.describe("Permissions of its keys")
    .meta({ example: ["deploy-production"] }),
  projects: z.array(uuid).min(1).max(MAX_KEY_PROJECTS).nullable()
    .describe("IDs of the projects that its keys can access; null for all")
    .meta({ example: ["019abf2e-7c4d-7e1a-9b3f-5d6c7a8b9e02"] }),
  keySeconds: z.int().min(KEY_SECONDS.min).max(KEY_SECONDS.max)
    .describe("Lifetime of its keys").meta({ example: KEY_SECONDS.usual }),
};

const trustedPublisher = z.object({
  id: uuid.describe("ID of the trusted publisher"),
  ...trust,
  ...granted,
  repositoryId: z.string().nullable().describe(
    "ID of the repository, from its first token. Another repository with the same name is refused",
  ).meta({ example: "74" }),
  createdBy: uuid.describe("ID of the member who created it"),
  createdAt: timestamp.describe("When the trusted publisher was created"),
  lastUsedAt: timestamp.nullable().describe("When it last got a key; null if never")
    .meta({ example: "2026-11-22T09:30:00.000Z" }),
  lastSubject: z.string().nullable().describe("`sub` claim of the last token")
    .meta({ example: "repo:acme/shop:ref:refs/heads/main" }),
}).meta({ id: "TrustedPublisher" });
export type TrustedPublisher = z.infer<typeof trustedPublisher>;

/** Maximum size of the body for a new publisher, in bytes. */
const MAX_PUBLISHER_BYTES = 32 * 1024;

/** Permissions of keys for pull requests. Anyone who can open a pull request can use them. */
const FOR_PULL_REQUESTS: readonly string[] = ["read", "deploy-previews"];

export const createPublisher = endpoint({
  method: "POST",
  path: "/v1/trusted-publishers",
  summary: "Create a trusted publisher: let the workflows of a repository get short-lived keys",
  tag,
  access: "owner",
  maxBodyBytes: MAX_PUBLISHER_BYTES,
  body: z.object({
    ...trust,
    ...granted,
    issuer: trust.issuer.optional(),
    branch: trust.branch.default(null),
    tag: trust.tag.default(null),
    environment: trust.environment.default(null),
    workflow: trust.workflow.default(null),
    subject: trust.subject.default(null),
    pullRequests: trust.pullRequests.default(false),
    projects: granted.projects.default(null),
    keySeconds: granted.keySeconds.default(KEY_SECONDS.usual),
  }).strict().superRefine(({ provider, repository, pullRequests, permissions }, context) => {
    if (provider === "github" && repository.split("/").length !== 2) {
      const message = "Must be owner/name, as on GitHub";
      context.addIssue({ code: "custom", path: ["repository"], message });
    }
    if (pullRequests && !permissions.every((each) => FOR_PULL_REQUESTS.includes(each))) {
      const message = "Must be read or deploy-previews, because pull requests are trusted";
      context.addIssue({ code: "custom", path: ["permissions"], message });
    }
  }),
  response: trustedPublisher,
  status: 201,
});

export const listPublishers = endpoint({
  method: "GET",
  path: "/v1/trusted-publishers",
  summary: "List the workspace's trusted publishers",
  tag,
  access: "owner",
  query: pageQuery,
  response: page(trustedPublisher),
});

export const deletePublisher = endpoint({
  method: "DELETE",
  path: "/v1/trusted-publishers/{publisher}",
  summary: "Delete a trusted publisher. Its keys stop working",
  tag,
  access: "owner",
  params: z.object({ publisher: uuid.describe("ID of the trusted publisher") }),
  status: 204,
});

/** The body of a token exchange at `/oauth/token`. */
export const exchangeBody = z.object({
  grant_type: z.literal(EXCHANGE_GRANT_TYPE),
  subject_token: z.string("Required").min(1).max(12_000, "Must be at most 12000 characters"),
  subject_token_type: z.enum(SUBJECT_TOKEN_TYPES, `Must be ${SUBJECT_TOKEN_TYPES.join(" or ")}`),
  requested_token_type: z.literal(ISSUED_TOKEN_TYPE, `Must be ${ISSUED_TOKEN_TYPE}`).optional(),
  actor_token: z.undefined("Must be left out").optional(),
  workspace: z.string("Required: the slug of the workspace").min(1).max(40),
  project: z.string().min(1).max(100).optional(),
});

/** The key that was issued in exchange for a token. */
export const exchangedKey = z.object({
  access_token: z.string(),
  issued_token_type: z.literal(ISSUED_TOKEN_TYPE),
  token_type: z.literal("Bearer"),
  expires_in: z.int(),
  /** Permissions of the key. */
  scope: z.string(),
  expires_at: timestamp,
  workspace_slug: z.string(),
});
export type ExchangedKey = z.infer<typeof exchangedKey>;
