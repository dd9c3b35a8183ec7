/** @module Recognizes files that no visitor should get, by their names and first bytes. Pure. */
import { basename } from "node:path";

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
/**
 * Statements that insert rows. Migrations can contain them too. Takes linear time for any text,
 * because the platform also checks files that agents send.
 */
const ROWS = /^[ \t]*(?:INSERT[ \t]+INTO|REPLACE[ \t]+INTO|COPY[ \t]+\S.*FROM[ \t]+stdin)\b/mi;

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
  if (
    /^[ \t]*"?kind"?[ \t]*:[ \t]*"?Config\b/m.test(text) &&
    /client-key-data|\btoken"?\s*:/.test(text)
  ) {
    return "credentials of a Kubernetes cluster";
  }
  return undefined;
}

/** A file whose content can be read in part. */
interface ReadableFile {
  /** Path relative to the project. */
  readonly path: string;
  /** Size in bytes. */
  readonly size: number;
  /** Returns the first bytes, each as one character. */
  head(bytes: number): string;
}

/**
 * Describes the kind of secret in a file. Returns `undefined` if it does not look like a secret.
 */
export function findSecret({ path, size, head }: ReadableFile): string | undefined {
  const name = basename(path);
  const named = SECRET_NAMES.find(([pattern]) => pattern.test(name.toLowerCase()));
  if (named !== undefined) return size === 0 ? undefined : named[1];
  if (SHOWN_KINDS.test(name) || size === 0) return undefined;
  const mayBeCredentials = /\.(?:json|ya?ml)$|^[^.]+$|^config$/i.test(name);
  if (/\.json$/i.test(name) && size > MAX_CREDENTIALS_BYTES) return undefined;
  const bytes = KEY_KINDS.test(name) || TEXT_KINDS.test(name) ? HEAD_BYTES : BEGINNING_BYTES;
  const text = head(Math.min(size, bytes));
  return secretOf(path, text) ??
    (mayBeCredentials && size <= MAX_CREDENTIALS_BYTES ? credentialsOf(name, text) : undefined);
}
