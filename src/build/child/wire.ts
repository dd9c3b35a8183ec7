/**
 * @module Input and output of a build process: a job as one JSON file, and lines of JSON on its
 * standard output. The reader must not trust these lines, because the project's code runs in the
 * same sandbox.
 */
import * as z from "zod";
import { commandResults } from "../../contract/release_checks.ts";
import { MAX_CHECK_COMMANDS } from "../../lib/release_checks.ts";
import { MAX_FILES } from "../../contract/deployment_files.ts";
import { MAX_FUNCTIONS } from "../../contract/deployments.ts";

export const buildJobFile = z.object({
  /** Absolute path of the checkout's folder, with a `.git` and nothing checked out. */
  repository: z.string(),
  /** Full hash with 40 digits. */
  commitSha: z.string(),
  /** Submodules, outer ones first. Each has a `.git` at its path in the checkout. */
  submodules: z.array(z.object({ path: z.string(), commitSha: z.string() })),
  /**
   * Git LFS files (`path`), each with the file that contains its content (`object`). Both are in
   * the checkout.
   */
  largeFiles: z.array(z.object({ path: z.string(), object: z.string() })),
  /** The project's folder in the repository, or null for the repository's root. */
  rootDirectory: z.string().nullable(),
  framework: z.string().nullable(),
  installCommand: z.string().nullable(),
  buildCommand: z.string().nullable(),
  outputDirectory: z.string().nullable(),
  /** Version of Node to build with, or null for the machine's Node. */
  nodeVersion: z.string().nullable(),
  /** Changes since the commit of the branch's last deployment, or null to always build. */
  since: z.object({
    commitSha: z.string(),
    /** Paths in the repository. */
    files: z.array(z.string()),
  }).nullable(),
  variables: z.record(z.string(), z.string()),
  /** Folder that is kept between the builds of a project. */
  cache: z.string(),
  /** Folder for output that is not part of the checkout. */
  outbox: z.string(),
  /** Commands to run in a checkout that has already been built, instead of building it. */
  checks: z.object({
    commands: z.array(z.string()).max(MAX_CHECK_COMMANDS),
    /**
     * URL of the deployment. Missing during a migration, which runs before the deployment is live.
     */
    place: z.object({ url: z.string(), bypass: z.string() }).optional(),
  }).optional(),
});
export type BuildJobFile = z.infer<typeof buildJobFile>;

const LEVELS = ["info", "warn", "error"] as const;

const packedFile = z.object({
  path: z.string().max(4096),
  /** Absolute path of the content, with links resolved, as the build process sees it. */
  content: z.string().max(8192),
  size: z.number().int().min(0),
});

const packedFunction = z.object({ name: z.string().max(256), content: z.string().max(8192) });

/** A line that the build process writes. */
export const buildEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("say"), level: z.enum(LEVELS), message: z.string() }),
  /** A chunk of a command's output on one stream. */
  z.object({ type: z.literal("output"), stream: z.number().int(), text: z.string() }),
  z.object({ type: z.literal("output_end"), stream: z.number().int() }),
  z.object({ type: z.literal("failed"), reason: z.string() }),
  /** Nothing needs to be built. */
  z.object({ type: z.literal("skipped"), reason: z.string() }),
  z.object({ type: z.literal("checked"), results: commandResults }),
  z.object({
    type: z.literal("packed"),
    manifest: z.unknown(),
    rules: z.unknown().optional(),
    files: z.array(packedFile).max(MAX_FILES),
    functions: z.array(packedFunction).max(MAX_FUNCTIONS),
  }),
]);
export type BuildEvent = z.infer<typeof buildEvent>;
export type SkippedEvent = Extract<BuildEvent, { readonly type: "skipped" }>;
export type CheckedEvent = Extract<BuildEvent, { readonly type: "checked" }>;
export type PackedEvent = Extract<BuildEvent, { readonly type: "packed" }>;
