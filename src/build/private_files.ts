/** @module Files that no visitor should get, unless a `!` pattern in `.svcignore` deploys them. */
import { Buffer } from "node:buffer";
import { basename, relative, sep } from "node:path";
import { printableName } from "../lib/format.ts";
import { nextTurn } from "../lib/next_turn.ts";
import type { OutputFile } from "../manifest/mod.ts";
import { BuildError } from "./build_error.ts";
import { isListed } from "./ignored_files.ts";
import type { BuildHost } from "./types.ts";

/** Names of files that always contain secrets, each with a description. */
const SECRET_NAMES: readonly (readonly [name: RegExp, what: string])[] = [
  [/^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/, "a private SSH key"],
  [/\.(?:p12|pfx|jks|keystore|bcfks|kdbx?)$/, "a keystore or password database"],
  [/\.ppk$/, "a private SSH key"],
  [/\.tfstate(?:\.backup|\.\d+\.backup)?$/, "Terraform state, which contains secrets"],
  [/\.tfvars(?:\.json)?$/, "Terraform variables"],
  [/.\.env$|^env\.(?:local|dev|development|prod|production|staging)$/, "a file with variables"],
  [
    /^\.(?:envrc|dev\.vars(?:\..+)?|pgpass|my\.cnf|git-credentials|htpasswd|dockercfg)$/,
    "a file with passwords",
  ],
  [/^[._]netrc$/, "a file with passwords"],
  [/^kube-?config(?:\.ya?ml)?$|\.kube-?config$/, "credentials of a Kubernetes cluster"],
  [/^client_secrets?(?:[_.-].*)?\.json$/, "an OAuth client's secret"],
  [/^(?:master\.key|secrets\.(?:ya?ml|toml|ini))$/, "a file with secrets"],
  [/^wp-config\.php$/, "configuration with passwords"],
  [
    /(?:^|[_.-])(?:dump|backup)s?(?:[_.-].*)?\.sql(?:\.gz|\.bz2|\.xz|\.zst|\.zip)?$/,
    "a database dump",
  ],
  [/\.sql\.(?:gz|bz2|xz|zst|zip)$/, "a database dump"],
];

/**
 * Configuration of hosts, containers and databases, in any folder of a project. Publishing these
 * files would show visitors how the site is operated.
 */
const HOST_FILES: readonly RegExp[] = [
  /^(?:netlify|fly|railway|nixpacks|wrangler)\.toml$|^(?:vercel|now|firebase|railway)\.json$/,
  /^wrangler\.jsonc?$|^staticwebapp\.config\.json$|^(?:render|skaffold|helmfile)\.ya?ml$/,
  /^(?:docker-)?compose(?:[._-].+)?\.ya?ml$|^docker-bake\.hcl$/,
  /^(?:dockerfile|containerfile)(?:\..+)?$|\.dockerfile$|^(?:vagrant|jenkins|caddy|proc)file$/,
  /\.tf(?:\.json)?$|^terragrunt\.hcl$|^nginx\.conf$|^serverless\.ya?ml$/,
  /^(?:azure-pipelines|bitbucket-pipelines|cloudbuild|buildspec|appveyor|amplify)\.ya?ml$/,
  /\.sql$/,
];

/** Build configuration directly in the project's folder. */
const BUILD_FILES: readonly RegExp[] = [
  /^(?:package|package-lock|npm-shrinkwrap|lerna|nx|turbo|rush|composer)\.json$/,
  /^(?:yarn|bun|deno|composer|cargo|poetry|gemfile|pipfile|uv)\.lock$|^bun\.lockb$/,
  /^pnpm-(?:lock|workspace)\.yaml$|^deno\.jsonc?$|^(?:ts|js)config(?:\..+)?\.json$/,
  /^(?:vite|vitest|webpack|rollup|rspack|postcss|babel|jest|eslint|prettier|playwright|cypress)\.config\.[cm]?[jt]s$/,
  /^(?:svelte|astro|next|nuxt|gatsby|remix|vue|angular)\.config\.[cm]?[jt]s$|^angular\.json$/,
  /^(?:makefile|justfile|gemfile|pipfile|rakefile)$|^(?:gulp|grunt)file\.[cm]?[jt]s$/,
  /^(?:pyproject|cargo)\.toml$|^requirements(?:-.+)?\.txt$|^go\.(?:mod|sum)$|^mix\.exs$/,
];

/** Returns whether a file of a project configures a host or a build. */
export function isConfiguration(path: string): boolean {
  const name = basename(path).toLowerCase();
  const matches = (pattern: RegExp) => pattern.test(name);
  return HOST_FILES.some(matches) || !path.includes("/") && BUILD_FILES.some(matches);
}

/**
 * Kinds of files that are pages, scripts or media. A key in such a file is assumed to be an
 * example.
 */
const SHOWN_KINDS =
  /\.(?:html?|xhtml|mdx?|markdown|rst|adoc|[cm]?[jt]sx?|map|css|scss|less|svelte|vue|astro|php|py|rb|go|rs|java|svgz?|png|jpe?g|gif|webp|avif|ico|bmp|tiff?|woff2?|ttf|otf|eot|mp[34]|m4[av]|webm|og[gv]|wav|flac|mov|pdf|wasm|gz|br|zst|zip|tgz|tar|xml|rss|atom|csv|tsv)$/i;

/** Kinds of files that can contain a key below other text, such as its certificate. */
const KEY_KINDS =
  /\.(?:pem|key|crt|cer|cert|p8|pk8|asc|gpg|pgp|ovpn|conf|cfg|ini|properties|toml|ya?ml)$|^[^.]+$/i;

/** Kinds of files to search beyond their first bytes. */
const TEXT_KINDS = /\.(?:json|sql|dump|backup|bak|psql|npmrc|yarnrc)$|^\.(?:npmrc|yarnrc)/i;

/** Number of bytes to read from text files and from other files. */
const HEAD_BYTES = 64 * 1024;
const BEGINNING_BYTES = 256;

/**
 * Maximum size of JSON and YAML files that are searched for credentials, in bytes. Files with
 * credentials are short.
 */
const MAX_CREDENTIALS_BYTES = 32 * 1024;

const PRIVATE_KEY = /^[ \t]*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----\r?$/m;
const KEY_FIRST = /^(?:\ufeff|\s)*-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----/;

/** A private key in DER: a sequence that begins with version 0 or 1 (PKCS#1, PKCS#8, SEC1). */
// deno-lint-ignore no-control-regex -- matches the bytes of the encoding
const DER_KEY = /^\x30(?:[\x10-\x7f]|\x81.|\x82..)\x02\x01[\x00\x01][\x02\x04\x30]/s;

const DUMP =
  /^(?:-- (?:PostgreSQL database|MySQL|MariaDB|phpMyAdmin SQL|Dump of)|\/\*M?!\d*\\?- enable|PRAGMA foreign_keys=OFF;\s*BEGIN TRANSACTION;|PGDMP|SET statement_timeout = 0;)/mi;
/** Statements that insert rows. Migrations can contain them too. */
const ROWS = /^\s*(?:INSERT\s+INTO|REPLACE\s+INTO|COPY\s+\S+.*FROM\s+stdin)\b/mi;

const MIGRATIONS = /(?:^|\/)(?:migrations?|drizzle|prisma|supabase|seeds?)\//i;

/** Describes the secret in a file. Returns `undefined` if none was found. */
function secretOf(path: string, text: string): string | undefined {
  const name = basename(path);
  if (KEY_FIRST.test(text) || KEY_KINDS.test(name) && PRIVATE_KEY.test(text)) {
    return "a private key";
  }
  if (/^PuTTY-User-Key-File-|^AGE-SECRET-KEY-1/m.test(text)) return "a private key";
  if (/\.(?:key|der|p8|pk8)$/i.test(name) && DER_KEY.test(text)) return "a private key";
  if (/\.(?:sql|dump|backup|bak|psql|pgdump)$/i.test(name) && DUMP.test(text)) {
    return "a database dump";
  }
  if (/\.sql$/i.test(name) && ROWS.test(text) && !MIGRATIONS.test(path)) return "a database dump";
  if (/^\.npmrc$|^\.yarnrc/.test(name) && /_auth|_password|authToken|authIdent/i.test(text)) {
    return "a file with package registry tokens";
  }
  return undefined;
}

/**
 * Describes the credentials in a short JSON or YAML file. Returns `undefined` if there are none.
 */
function credentialsOf(name: string, text: string): string | undefined {
  if (/\.json$/i.test(name)) {
    if (/"type"\s*:\s*"service_account"/.test(text) && /"private_key"\s*:/.test(text)) {
      return "a service account key";
    }
    if (/"private_?key"\s*:\s*"-----BEGIN /i.test(text)) return "a private key";
    if (/"kty"\s*:/.test(text) && /"(?:d|k)"\s*:\s*"[\w-]{20,}"/.test(text)) return "a private key";
    if (/"client_secret"\s*:\s*"[^"]{8,}"/.test(text)) return "an OAuth client's secret";
    if (/"auths"\s*:/.test(text) && /"auth"\s*:\s*"/.test(text)) return "registry credentials";
  }
  if (/^\s*"?kind"?\s*:\s*"?Config\b/m.test(text) && /client-key-data|\btoken"?\s*:/.test(text)) {
    return "credentials of a Kubernetes cluster";
  }
  return undefined;
}

const LFS_POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n/;

/** Minimum and maximum size of a pointer in bytes, as defined by Git LFS. */
const POINTER_BYTES = { from: 100, to: 1023 } as const;

/** Reads the first bytes of a file, each as one character. */
function headOf(path: string, bytes: number): string {
  using file = Deno.openSync(path);
  const head = Buffer.alloc(bytes);
  let length = 0;
  while (length < bytes) {
    const read = file.readSync(head.subarray(length));
    if (read === null) break;
    length += read;
  }
  return head.toString("latin1", 0, length);
}

/** Returns whether a file is a Git LFS pointer to a large file. */
export function isLfsPointer(
  { absolutePath, size }: Pick<OutputFile, "absolutePath" | "size">,
): boolean {
  if (size < POINTER_BYTES.from || size > POINTER_BYTES.to) return false;
  return LFS_POINTER.test(headOf(absolutePath, POINTER_BYTES.from));
}

/**
 * Describes the kind of secret in a file. Returns `undefined` if it does not look like a secret.
 */
export function findSecret(
  { absolutePath, path, size }: Pick<OutputFile, "absolutePath" | "path" | "size">,
): string | undefined {
  const name = basename(path);
  const named = SECRET_NAMES.find(([pattern]) => pattern.test(name.toLowerCase()));
  if (named !== undefined) return size === 0 ? undefined : named[1];
  if (SHOWN_KINDS.test(name) || size === 0) return undefined;
  const mayBeCredentials = /\.(?:json|ya?ml)$|^[^.]+$|^config$/i.test(name);
  if (/\.json$/i.test(name) && size > MAX_CREDENTIALS_BYTES) return undefined;
  const bytes = KEY_KINDS.test(name) || TEXT_KINDS.test(name) ? HEAD_BYTES : BEGINNING_BYTES;
  const text = headOf(absolutePath, Math.min(size, bytes));
  return secretOf(path, text) ??
    (mayBeCredentials && size <= MAX_CREDENTIALS_BYTES ? credentialsOf(name, text) : undefined);
}

/** Maximum number of file names on one line. */
const SHOWN = 3;

/** Lists the first paths, and states how many more there are. */
export function shortList(paths: readonly string[]): string {
  const more = paths.length > SHOWN ? ` and ${paths.length - SHOWN} more` : "";
  return `${paths.slice(0, SHOWN).map(printableName).join(", ")}${more}`;
}

/** A file that is deployed only if its author requests it. */
interface ExcludedFile {
  /** Path relative to the project. */
  readonly path: string;
  readonly message: string;
  /** True if the file is in the output of a build. */
  readonly isBuilt: boolean;
}

/**
 * Returns a listed file's path in the project. For a file outside the project, returns its path in
 * the deployment.
 */
function projectPath(root: string, { absolutePath, path }: OutputFile): string {
  const found = relative(root, absolutePath);
  return found.startsWith("..") ? path : found.split(sep).join("/");
}

/** Number of files to check before yielding to other tasks. */
const FILES_PER_STEP = 200;

/**
 * Packages for other languages. These packages are not served, and some contain keys for their
 * tests.
 */
const PACKAGES = /^(?:\.venv\/lib|vendor\/bundle)\//;

async function heldFiles(
  files: readonly OutputFile[],
  { root, signal }: { readonly root: string; readonly signal: AbortSignal },
): Promise<ExcludedFile[]> {
  const held: ExcludedFile[] = [];
  for (const [at, file] of files.entries()) {
    if (at % FILES_PER_STEP === FILES_PER_STEP - 1) {
      await nextTurn();
      signal.throwIfAborted();
    }
    if (PACKAGES.test(file.path)) continue;
    const secret = findSecret(file);
    const message = secret !== undefined
      ? `Looks like ${secret}`
      : isLfsPointer(file)
      ? "Is a Git LFS pointer instead of the actual file: run `git lfs pull` and build again"
      : undefined;
    if (message === undefined) continue;
    const path = projectPath(root, file);
    if (!await isListed(root, path)) held.push({ path, message, isBuilt: path !== file.path });
  }
  return held;
}

/**
 * Rejects files that look like secrets, and Git LFS pointers, before anything is uploaded.
 *
 * @throws {BuildError} that names all of them
 */
export async function refusePrivateFiles(
  files: readonly OutputFile[],
  options: { readonly projectRoot: string; readonly signal: AbortSignal },
): Promise<void> {
  const root = await Deno.realPath(options.projectRoot);
  const held = await heldFiles(files, { root, signal: options.signal });
  if (held.length === 0) return;
  const lines = held.map(({ path, message }) => `${printableName(path)}: ${message}`);
  const { path, isBuilt } = held[0]!;
  const first = `/${printableName(path)}`;
  const remedy = isBuilt
    ? "Remove the file from the build output"
    : `Delete the file, or add "${first}" to .svcignore to skip it`;
  throw new BuildError(
    "output_invalid",
    `Remove private files from the output:\n${lines.join("\n")}`,
    {
      hint: `${remedy}. To deploy it anyway, add "!${first}" to .svcignore`,
      details: { problems: held.map(({ path, message }) => ({ path, message })) },
    },
  );
}

/**
 * Returns the files of a site in the project's own folder, without configuration files. Reports
 * files that are left out. `isServed` returns whether a path is public.
 */
export async function withoutConfiguration<File extends { readonly path: string }>(
  host: BuildHost,
  files: readonly File[],
  { projectRoot, isServed, sources }: {
    readonly projectRoot: string;
    isServed(path: string): boolean;
    /** Patterns that match the source files of the project's server. */
    readonly sources: readonly RegExp[];
  },
): Promise<readonly File[]> {
  const leftOut: string[] = [];
  const isPrivate = (path: string) =>
    isConfiguration(path) || sources.some((pattern) => pattern.test(path));
  for (const { path } of files) {
    if (!isServed(path) || !isPrivate(path) || await isListed(projectRoot, path)) continue;
    leftOut.push(path);
  }
  if (leftOut.length === 0) return files;
  host.say(
    "build",
    "info",
    `Skipped ${shortList(leftOut)}: hosting or build configuration${
      sources.length === 0 ? "" : ", or server source files"
    }. To deploy a file anyway, ` +
      `add "!/${printableName(leftOut[0]!)}" to .svcignore`,
  );
  const names = new Set(leftOut);
  return files.filter(({ path }) => !names.has(path));
}
