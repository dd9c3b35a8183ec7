/** @module Writes a new `svc.toml`, or changes one that was written by a person. */
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { writeFileAtomically } from "../lib/atomic_file.ts";
import { renderDiagnostic } from "../lib/diagnostic.ts";
import type { TrailingSlash } from "../lib/page_urls.ts";
import { findTomlExcess } from "../lib/toml_bounds.ts";
import {
  BYTE_ORDER_MARK,
  type EnvDeclaration,
  parseProjectConfig,
  PROJECT_CONFIG_LIMITS,
  type Visibility,
} from "./project_config.ts";
import { PROJECT_CONFIG_FILE } from "./project_root.ts";
import { projectConfigJsonSchema } from "./schema.ts";
import { removeTomlKey, setTomlKey } from "./toml_edit.ts";
import type { KeyPath } from "./toml_layout.ts";
import type { TomlValue } from "./toml_text.ts";

/** The schema's path in a project, where editors can find it without a network. */
export const SCHEMA_PATH = ".svc/svc.schema.json";

/**
 * First line of every new `svc.toml`. This line tells editors based on Taplo where the schema is.
 */
export const SCHEMA_COMMENT = `#:schema ./${SCHEMA_PATH}`;

/** A value to set, or `null` to remove the key. Missing keys stay unchanged. */
type Change<T> = T | null;

/** Values to write, by table. Used both to create a file and to change one. */
export interface ProjectConfigChanges {
  readonly project?: {
    readonly id?: Change<string>;
    readonly name?: Change<string>;
    readonly workspace?: Change<string>;
  };
  readonly dev?: {
    readonly command?: Change<string>;
    readonly port?: Change<number>;
    readonly host?: Change<string>;
    readonly dataDir?: Change<string>;
    readonly aliases?: Readonly<Record<string, Change<string>>>;
  };
  readonly build?: {
    readonly command?: Change<string>;
    readonly outputDirs?: Change<readonly string[]>;
    readonly notImported?: Change<readonly string[]>;
  };
  readonly db?: {
    readonly database?: Change<string>;
    readonly branch?: Change<string>;
  };
  readonly static?: {
    readonly trailingSlash?: Change<TrailingSlash>;
    readonly cleanUrls?: Change<boolean>;
  };
  readonly env?: {
    readonly declarations?: Readonly<Record<string, Change<Visibility | EnvDeclaration>>>;
  };
}

interface KeyChange {
  readonly path: KeyPath;
  readonly value: TomlValue | null;
}

function changesOf(table: KeyPath, values: Readonly<Record<string, unknown>> = {}): KeyChange[] {
  return Object.entries(values)
    .filter((entry): entry is [string, TomlValue | null] => entry[1] !== undefined)
    .map(([name, value]) => ({ path: [...table, name], value }));
}

function listChanges(changes: ProjectConfigChanges): KeyChange[] {
  const { project, dev, build, db, env } = changes;
  const { dataDir, aliases, ...devRest } = dev ?? {};
  const { outputDirs, notImported, ...buildRest } = build ?? {};
  return [
    ...changesOf(["project"], project),
    ...changesOf(["dev"], { ...devRest, data_dir: dataDir }),
    ...changesOf(["dev", "aliases"], aliases),
    ...changesOf(["build"], {
      ...buildRest,
      output_dirs: outputDirs,
      not_imported: notImported,
    }),
    ...changesOf(["db"], db),
    ...changesOf(["static"], {
      trailing_slash: changes.static?.trailingSlash,
      clean_urls: changes.static?.cleanUrls,
    }),
    ...changesOf(["env", "declarations"], env?.declarations),
  ];
}

type Tree = { [name: string]: unknown };

const isTree = (value: unknown): value is Tree =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);

const readTree = (source: string): Tree =>
  getStaticTOMLValue(parseTOML(source, { tomlVersion: "1.0" })) as Tree;

function changeTree(tree: Tree, { path, value }: KeyChange): void {
  let table = tree;
  for (const step of path.slice(0, -1)) {
    if (!Object.hasOwn(table, step)) table[step] = {};
    const next = table[step];
    if (!isTree(next)) throw new TypeError(`Cannot set ${path.join(".")}: ${step} is not a table`);
    table = next;
  }
  const name = path.at(-1)!;
  if (value === null) delete table[name];
  else table[name] = value;
}

/** Drops tables without keys, because removing the last dotted key of a table removes the table. */
function withoutEmptyTables(value: unknown): unknown {
  if (!isTree(value)) return value;
  const kept = Object.entries(value)
    .map(([name, inner]) => [name, withoutEmptyTables(inner)] as const)
    .filter(([, inner]) => !(isTree(inner) && Object.keys(inner).length === 0));
  return Object.fromEntries(kept);
}

/**
 * Sets and removes keys of a `svc.toml`, preserving comments, order and formatting. Unaffected
 * lines stay identical.
 *
 * The text must be TOML, but need not be a valid `svc.toml`. Throws `SyntaxError` if the text is
 * not TOML, and `TypeError` if a key cannot be set because its path contains a value that is not a
 * table.
 */
export function editProjectConfig(source: string, changes: ProjectConfigChanges): string {
  if (findTomlExcess(source, PROJECT_CONFIG_LIMITS.maxDepth) !== undefined) {
    throw new TypeError(`Cannot edit ${PROJECT_CONFIG_FILE}: it is nested too deeply`);
  }
  const mark = source.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
  const before = source.slice(mark.length);
  const wanted = readTree(before);
  let text = before;
  for (const change of listChanges(changes)) {
    changeTree(wanted, change);
    text = change.value === null
      ? removeTomlKey(text, change.path)
      : setTomlKey(text, change.path, change.value);
  }
  if (!isDeepStrictEqual(withoutEmptyTables(readTree(text)), withoutEmptyTables(wanted))) {
    throw new TypeError("Cannot edit svc.toml: the result would not have the requested values");
  }
  return mark + text;
}

/** Returns the text of a new `svc.toml` with the schema reference on its first line. */
export function newProjectConfig(values: ProjectConfigChanges): string {
  return editProjectConfig(`${SCHEMA_COMMENT}\n`, values);
}

/** Returns the text of the schema file in `docs/schema/`, for editors. */
export function projectConfigSchemaText(): string {
  return `${JSON.stringify(projectConfigJsonSchema(), null, 2)}\n`;
}

/**
 * Returns the target of a path and its permissions. Writing to the target preserves a symbolic
 * link.
 */
async function resolveLink(path: string): Promise<{ target: string; mode: number | null }> {
  try {
    const target = await Deno.realPath(path);
    const { mode } = await Deno.stat(target);
    return { target, mode: mode === null ? null : mode & 0o777 };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { target: path, mode: null };
    throw error;
  }
}

/**
 * Atomically writes the `svc.toml` of a directory. After a crash, the file is either unchanged or
 * complete. Keeps symbolic links and permissions.
 *
 * @throws {TypeError} with every problem if the text is not a valid `svc.toml`. In that case, the
 * file does not change.
 */
export async function saveProjectConfig(directory: string, source: string): Promise<void> {
  const { config, diagnostics } = parseProjectConfig(source);
  if (config === undefined) {
    const problems = diagnostics
      .map((diagnostic) => renderDiagnostic(diagnostic, { file: PROJECT_CONFIG_FILE, source }));
    throw new TypeError(`Cannot save ${PROJECT_CONFIG_FILE}:\n${problems.join("\n")}`);
  }
  const path = join(directory, PROJECT_CONFIG_FILE);
  const { target, mode } = await resolveLink(path);
  await writeFileAtomically(target, source, mode === null ? {} : { mode });
}

/**
 * Writes the schema that {@link SCHEMA_COMMENT} refers to into a project, if the file is missing or
 * contains a different version. Returns true if the file was written.
 */
export async function saveProjectConfigSchema(directory: string): Promise<boolean> {
  const path = join(directory, SCHEMA_PATH);
  const wanted = projectConfigSchemaText();
  const current = await Deno.readTextFile(path).catch(() => undefined);
  if (current === wanted) return false;
  await writeFileAtomically(path, wanted);
  return true;
}
