/** @module Parses `svc.toml` to a typed value in which every default is filled in. */
import type { DATABASE_RESETS, DatabaseMask, DatabaseRecipe } from "../lib/database_previews.ts";
import { type Diagnostic } from "../lib/diagnostic.ts";
import type { TrailingSlash } from "../lib/page_urls.ts";
import type { Protection } from "../lib/protection.ts";
import { parseToml, type TomlLimits } from "../lib/toml.ts";
import type { ReleaseChecks } from "../lib/release_checks.ts";
import { toReleaseChecks } from "./checks_table.ts";
import { normalizeInsidePath, parseTime } from "./field_rules.ts";
import { describeProblems } from "./problems.ts";
import { withSyntaxHint } from "./syntax_hint.ts";
import { projectConfigSchema, type RawProjectConfig, type VISIBILITIES } from "./schema.ts";

/**
 * Limits of a `svc.toml`: 64 KiB, with tables nested up to 8 levels (the format itself needs 4).
 */
export const PROJECT_CONFIG_LIMITS: TomlLimits = { maxBytes: 64 * 1024, maxDepth: 8 };

export type Visibility = (typeof VISIBILITIES)[number];

/** A declared environment variable, normalized from both of its forms. */
export interface EnvDeclaration {
  readonly visibility: Visibility;
  readonly required: boolean;
}

/** A request that the platform sends on a schedule. */
interface CronTaskConfig {
  readonly path: string;
  /** Five fields, as in crontab. */
  readonly schedule: string;
  /** IANA name of the time zone. Defaults to UTC. */
  readonly timezone?: string | undefined;
  /** How many times a failed run is retried. Defaults to 0. */
  readonly retries?: number | undefined;
}

/** A queue whose messages the platform sends to the project's server. */
interface QueueConfig {
  readonly name: string;
  readonly path: string;
  readonly concurrency?: number | undefined;
  readonly retries?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

/** A form whose submissions the platform accepts. */
interface FormConfig {
  readonly name: string;
  readonly fields?: string[] | undefined;
  readonly required?: string[] | undefined;
  readonly redirect?: string | undefined;
  readonly retentionSeconds?: number | undefined;
  readonly notify?: boolean | undefined;
  readonly origins?: string[] | undefined;
  readonly honeypot?: string | undefined;
}

/** A valid `svc.toml`. Tables that are missing in the file are empty here. */
export interface ProjectConfig {
  readonly project: {
    readonly id?: string;
    readonly name?: string;
    readonly workspace?: string;
  };
  readonly dev: {
    readonly command?: string;
    readonly port?: number;
    readonly host?: string;
    /** Path relative to the project directory and inside it. Never `.`. */
    readonly dataDir?: string;
    /**
     * Commands by alias name. This is a Map because a name must not collide with a built-in
     * property.
     */
    readonly aliases: ReadonlyMap<string, string>;
  };
  readonly build: {
    readonly command?: string;
    /** Command that skips a build from git if its exit code is 0. */
    readonly ignore?: string;
    /**
     * Paths relative to the project directory and inside it, in order of preference. Can contain
     * `.`.
     */
    readonly outputDirs: readonly string[];
    /** Whether to deploy the output as a static site, even if it looks like server code. */
    readonly isStatic?: boolean;
    /** The runtime of the project's servers. If it is missing, the deploy detects the runtime. */
    readonly runtime?: "deno" | "node" | "command";
    /** Size of a server's folder for temporary files, in MiB. */
    readonly tmpMb?: number;
    /** Configuration files of other hosts to ignore, relative to the project. */
    readonly notImported?: readonly string[];
  };
  readonly server: {
    /** Shell command that starts the server. */
    readonly command?: string;
    /** Time within which the server must listen, in milliseconds. */
    readonly startTimeoutMs?: number;
    /** Maximum memory of a server, in MiB. */
    readonly memoryMb?: number;
    /** Path to request before the server goes live. */
    readonly healthPath?: string;
  };
  /** Scheduled tasks, in file order. */
  readonly cron: readonly CronTaskConfig[];
  /** Queues, in file order. */
  readonly queues: readonly QueueConfig[];
  /** Forms, or `undefined` if the table is missing. In that case, the forms in the HTML apply. */
  readonly forms?: readonly FormConfig[];
  /** Limits of functions, or `undefined` if the table is missing. */
  readonly functions?: {
    /** Maximum CPU time of a call, in milliseconds. */
    readonly cpuMs?: number;
  };
  readonly db: {
    readonly database?: string;
    readonly branch?: string;
    /** Initial content of a preview's database branch. */
    readonly preview?: DatabaseRecipe["preview"];
    readonly reset?: (typeof DATABASE_RESETS)[number];
    readonly mask?: DatabaseMask;
    /** Command to run before a deployment goes live. */
    readonly migrate?: string;
  };
  readonly env: {
    readonly declarations: ReadonlyMap<string, EnvDeclaration>;
  };
  /** Image conversion, or `undefined` if the table is missing. */
  readonly images?: {
    readonly enabled?: boolean;
    readonly sizes?: number[];
    readonly qualities?: number[];
    readonly formats?: ("avif" | "webp")[];
    readonly hosts?: string[];
    readonly svg?: boolean;
    readonly minTtlSeconds?: number;
  };
  /** Objects in the blob store that the site serves, or `undefined` if the table is missing. */
  readonly blobs?: {
    readonly public?: string[];
    readonly preview?: "empty" | "copy";
  };
  /** How files are served, or `undefined` if the table is missing. */
  readonly static?: {
    /** Whether index.html is served for documents without a file. */
    readonly spa?: boolean;
    /** Whether the URLs of pages end with a slash. */
    readonly trailingSlash?: TrailingSlash;
    /** Whether the URLs of pages omit `.html`. */
    readonly cleanUrls?: boolean;
    /** Whether a URL matches a file regardless of case. */
    readonly ignoreCase?: boolean;
    /** How long production keeps assets from earlier deployments, in milliseconds. */
    readonly keepAssetsMs?: number;
  };
  readonly skew?: {
    /** How long a replaced deployment serves its pages, in milliseconds. */
    readonly maxAgeMs?: number;
  };
  readonly traffic?: {
    /** Whether visitors' browsers measure web vitals. */
    readonly vitals?: boolean;
  };
  /** Checks that must pass before production serves a deployment. */
  readonly checks?: ReleaseChecks;
  readonly previews?: {
    /** Who can visit previews. Overrides the project's setting. */
    readonly protection?: Protection;
  };
}

/** `config` is set if and only if no diagnostic is an error. */
interface ParsedProjectConfig {
  readonly config?: ProjectConfig;
  readonly diagnostics: readonly Diagnostic[];
}

function toDeclaration(raw: Visibility | EnvDeclaration): EnvDeclaration {
  return typeof raw === "string" ? { visibility: raw, required: true } : raw;
}

function toServer({ server, build }: RawProjectConfig): ProjectConfig["server"] {
  const { command, start_timeout: startTimeout, memory_mb: memoryMb } = server ?? {};
  const healthPath = server?.health_path ?? build?.health;
  const startTimeoutMs = startTimeout === undefined ? undefined : parseTime(startTimeout);
  return {
    ...(command === undefined ? {} : { command }),
    ...(startTimeoutMs === undefined ? {} : { startTimeoutMs }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
    ...(healthPath === undefined ? {} : { healthPath }),
  };
}

/** Converts a validated time to milliseconds. `false` means 0. */
const toTime = (value: number | string | false): number => value === false ? 0 : parseTime(value)!;

function toStatic(raw: NonNullable<RawProjectConfig["static"]>): ProjectConfig["static"] {
  const {
    trailing_slash: trailingSlash,
    clean_urls: cleanUrls,
    ignore_case: ignoreCase,
    keep_assets: keepAssets,
    ...rest
  } = raw;
  return {
    ...rest,
    ...(trailingSlash === undefined ? {} : { trailingSlash }),
    ...(cleanUrls === undefined ? {} : { cleanUrls }),
    ...(ignoreCase === undefined ? {} : { ignoreCase }),
    ...(keepAssets === undefined ? {} : { keepAssetsMs: toTime(keepAssets) }),
  };
}

function toSkew({ max_age: maxAge }: NonNullable<RawProjectConfig["skew"]>) {
  return maxAge === undefined ? {} : { maxAgeMs: toTime(maxAge) };
}

const toForms = (raw: NonNullable<RawProjectConfig["forms"]>): FormConfig[] =>
  Object.entries(raw).map(([name, { retention, ...form }]) => ({
    name,
    ...form,
    ...(retention === undefined ? {} : { retentionSeconds: parseTime(retention)! / 1000 }),
  }));

function normalize(raw: RawProjectConfig): ProjectConfig {
  const { data_dir: dataDir, aliases, ...dev } = raw.dev ?? {};
  const {
    output_dirs: outputDirs,
    tmp_mb: tmpMb,
    static: isStatic,
    not_imported: notImported,
    health: _movedToServer,
    ...build
  } = raw.build ?? {};
  const { min_ttl: minTtlSeconds, ...images } = raw.images ?? {};
  const cpuMs = raw.functions?.cpu_ms;
  const declarations = Object.entries(raw.env?.declarations ?? {});
  return {
    project: raw.project ?? {},
    dev: {
      ...dev,
      ...(dataDir === undefined ? {} : { dataDir: normalizeInsidePath(dataDir) }),
      aliases: new Map(Object.entries(aliases ?? {})),
    },
    build: {
      ...build,
      ...(tmpMb === undefined ? {} : { tmpMb }),
      ...(isStatic === undefined ? {} : { isStatic }),
      ...(notImported === undefined ? {} : { notImported: notImported.map(normalizeInsidePath) }),
      outputDirs: [...new Set((outputDirs ?? []).map(normalizeInsidePath))],
    },
    server: toServer(raw),
    cron: raw.cron ?? [],
    queues: (raw.queues ?? []).map(({ timeout, ...queue }) => ({
      ...queue,
      ...(timeout === undefined ? {} : { timeoutMs: parseTime(timeout)! }),
    })),
    ...(raw.forms === undefined ? {} : { forms: toForms(raw.forms) }),
    db: raw.db ?? {},
    env: { declarations: new Map(declarations.map(([name, raw]) => [name, toDeclaration(raw)])) },
    ...(raw.functions === undefined ? {} : { functions: cpuMs === undefined ? {} : { cpuMs } }),
    ...(raw.static === undefined ? {} : { static: toStatic(raw.static) }),
    ...(raw.skew === undefined ? {} : { skew: toSkew(raw.skew) }),
    ...(raw.traffic === undefined ? {} : { traffic: raw.traffic }),
    ...(raw.blobs === undefined ? {} : { blobs: raw.blobs }),
    ...(raw.previews === undefined ? {} : { previews: raw.previews }),
    ...(raw.checks === undefined ? {} : { checks: toReleaseChecks(raw.checks) }),
    ...(raw.images === undefined ? {} : {
      images: { ...images, ...(minTtlSeconds === undefined ? {} : { minTtlSeconds }) },
    }),
  };
}

/** A byte order mark, which some editors write but TOML does not allow. */
export const BYTE_ORDER_MARK = "\uFEFF";

/**
 * Reads the text of a `svc.toml` (cli-and-config.md, "Project config file"). Returns all problems
 * in one pass, with line and column. Never throws for invalid input.
 */
export function parseProjectConfig(source: string): ParsedProjectConfig {
  const text = source.startsWith(BYTE_ORDER_MARK) ? source.slice(1) : source;
  const parsed = parseToml(text, PROJECT_CONFIG_LIMITS);
  if (!parsed.ok) {
    return { diagnostics: parsed.diagnostics.map((found) => withSyntaxHint(found, text)) };
  }
  const checked = projectConfigSchema.safeParse(parsed.document.value);
  return checked.success
    ? { config: normalize(checked.data), diagnostics: [] }
    : { diagnostics: describeProblems(checked.error.issues, parsed.document) };
}
