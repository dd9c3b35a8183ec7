/** @module Reads the package manager from a package.json. Pure. */
import { validRange } from "semver";
import { type ManagerHash, PACKAGE_MANAGERS, type PackageManager } from "./types.ts";

interface NamedManager {
  readonly name: PackageManager;
  /** An exact version, a range or a tag, or `undefined` if any version will do. */
  readonly version: string | undefined;
  readonly hash: ManagerHash | undefined;
  /** The field that names the package manager. */
  readonly field: "packageManager" | "devEngines.packageManager";
}

type FieldResult =
  | { readonly type: "named"; readonly manager: NamedManager }
  | { readonly type: "none" }
  /** `message` is a complete sentence that tells the author what to write instead. */
  | { readonly type: "invalid"; readonly message: string };

/** Maximum length of the quoted part of the field, in characters. */
const MAX_QUOTED = 80;

/** Number of hexadecimal digits for each algorithm. */
const DIGITS: Readonly<Record<ManagerHash["algorithm"], number>> = {
  sha1: 40,
  sha224: 56,
  sha256: 64,
  sha384: 96,
  sha512: 128,
};

const TAG = /^[a-z][a-z0-9.-]{0,63}$/;

const invalid = (field: NamedManager["field"], value: unknown): FieldResult => {
  const shown = (JSON.stringify(value) ?? String(value)).slice(0, MAX_QUOTED);
  const example = field === "packageManager"
    ? 'as a name and a version, such as "pnpm@10.4.1"'
    : 'as { "name": "pnpm", "version": "10.x" }';
  return {
    type: "invalid",
    message: `Write "${field}" in package.json ${example}, with one of ` +
      `${PACKAGE_MANAGERS.join(", ")}: found ${shown}`,
  };
};

const isManager = (name: string): name is PackageManager =>
  PACKAGE_MANAGERS.some((known) => known === name);

function parseHash(text: string): ManagerHash | undefined {
  const [algorithm = "", hex = "", ...rest] = text.toLowerCase().split(".");
  if (!Object.hasOwn(DIGITS, algorithm) || rest.length > 0) return undefined;
  const known = algorithm as ManagerHash["algorithm"];
  return hex.length === DIGITS[known] && /^[0-9a-f]+$/.test(hex)
    ? { algorithm: known, hex }
    : undefined;
}

const isVersion = (text: string) => validRange(text) !== null || TAG.test(text);

function parseField(value: unknown): FieldResult {
  const field = "packageManager";
  if (typeof value !== "string") return invalid(field, value);
  const [spec = "", hashText, ...rest] = value.split("+");
  const at = spec.indexOf("@");
  const name = at === -1 ? spec : spec.slice(0, at);
  const version = at === -1 ? undefined : spec.slice(at + 1);
  const hash = hashText === undefined ? undefined : parseHash(hashText);
  const isWhole = isManager(name) && rest.length === 0 &&
    (version === undefined || isVersion(version)) &&
    (hashText === undefined || (hash !== undefined && version !== undefined));
  return isWhole
    ? { type: "named", manager: { name, version, hash, field } }
    : invalid(field, value);
}

/** Parses one object or a list. Uses the first package manager that is known. */
function parseDevEngines(value: unknown): FieldResult {
  const field = "devEngines.packageManager";
  for (const each of Array.isArray(value) ? value : [value]) {
    const { name, version }: { name?: unknown; version?: unknown } = each ?? {};
    if (typeof name !== "string" || !isManager(name)) continue;
    if (version === undefined) {
      return { type: "named", manager: { name, version: undefined, hash: undefined, field } };
    }
    if (typeof version !== "string" || !isVersion(version)) return invalid(field, value);
    return { type: "named", manager: { name, version, hash: undefined, field } };
  }
  return invalid(field, value);
}

/** Reads the fields in a package.json. `packageManager` takes precedence. */
export function readManagerField(
  fields: { readonly packageManager?: unknown; readonly devManager?: unknown },
): FieldResult {
  if (fields.packageManager !== undefined) return parseField(fields.packageManager);
  return fields.devManager === undefined ? { type: "none" } : parseDevEngines(fields.devManager);
}
