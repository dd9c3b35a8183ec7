/** @module The platform's options, with types and defaults from the table. */
import type { Kind } from "./kinds.ts";
import { type PlatformSetting, type Setting, SETTINGS } from "./table.ts";

/** One setting: its path among the options, its type, and whether it is always present. */
interface Leaf {
  readonly path: string;
  readonly value: unknown;
  readonly presence: "default" | "required" | "optional";
}

type LeafOf<Row> = Row extends
  { readonly option: infer Path extends string; readonly kind: Kind<infer Value> } ? {
    readonly path: Path;
    readonly value: Value;
    readonly presence: Row extends { readonly default: unknown } ? "default"
      : Row extends { readonly required: true } ? "required"
      : "optional";
  }
  : never;

type Head<Path> = Path extends `${infer First}.${string}` ? First : Path;

/** The settings under a member, each with the rest of its path. */
type Below<Leaves extends Leaf, Name extends string> = Leaves extends
  { readonly path: `${Name}.${infer Rest}` }
  ? { readonly path: Rest; readonly value: Leaves["value"]; readonly presence: Leaves["presence"] }
  : never;

/**
 * Whether a member is always present because it has a default, is required, or contains a member
 * with a default.
 */
type Presence<Leaves extends Leaf, Name extends string> =
  | Extract<Leaves, { readonly path: Name }>["presence"]
  | Extract<Below<Leaves, Name>["presence"], "default">;

type Names<Leaves extends Leaf, Wanted> = {
  [Name in Head<Leaves["path"]>]: Extract<Presence<Leaves, Name>, Wanted> extends never ? never
    : Name;
}[Head<Leaves["path"]>];

type Member<Leaves extends Leaf, Name extends string, Wanted> = [Below<Leaves, Name>] extends
  [never] ? Extract<Leaves, { readonly path: Name }>["value"]
  : Options<Below<Leaves, Name>, Wanted>;

/** The settings as an object in which required members are always present. */
type Options<Leaves extends Leaf, Wanted> =
  & { readonly [Name in Names<Leaves, Wanted>]: Member<Leaves, Name, Wanted> }
  & {
    readonly [Name in Exclude<Head<Leaves["path"]>, Names<Leaves, Wanted>>]?: Member<
      Leaves,
      Name,
      Wanted
    >;
  };

/** The given options. Options with a default can be missing. */
export type GivenSettings = Options<LeafOf<PlatformSetting>, "required">;

/** The options with all defaults filled in. */
export type Settings = Options<LeafOf<PlatformSetting>, "required" | "default">;

type Tree = Readonly<Record<string, unknown>>;

/** Returns the option at a path, or `undefined` if there is none. */
export function optionAt(options: object, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (found, name) => (found as Tree | undefined)?.[name],
    options,
  );
}

/** Returns the options with a value set at a path. */
export function withOption(options: Tree, path: string, value: unknown): Tree {
  const [name = "", ...rest] = path.split(".");
  if (rest.length === 0) return { ...options, [name]: value };
  const below = (options[name] ?? {}) as Tree;
  return { ...options, [name]: withOption(below, rest.join("."), value) };
}

/** Adds the table's defaults to the given settings, and keeps all other members unchanged. */
export function completeSettings<Given extends GivenSettings>(given: Given): Given & Settings {
  const missing = SETTINGS.filter((row): row is Setting & { option: string } =>
    row.option !== undefined && row.default !== undefined &&
    optionAt(given, row.option) === undefined
  );
  return missing.reduce<Tree>(
    (options, row) => withOption(options, row.option, row.default),
    given as Tree,
  ) as Given & Settings;
}

/** Returns only the defaults. */
export const DEFAULTS: Omit<Settings, "dataDir"> = completeSettings({ dataDir: "" });
