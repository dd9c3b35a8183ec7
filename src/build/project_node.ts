/** @module The version of Node that a project requires. */
import { satisfies, validRange } from "semver";
import * as z from "zod";
import type { ProjectReader } from "../manifest/mod.ts";

/** The version of Node that a project requires. */
export interface ProjectNode {
  /** An npm version range, such as `24`, `20.11.0`, `~22.3` or `>=23 <23.4`. */
  readonly range: string;
  /** The range as written in the project. The machine's own Node may also satisfy this range. */
  readonly asked: string;
  /** The source, such as `.nvmrc` or `engines.node in package.json`. */
  readonly from: string;
}

type ProjectNodeResult =
  | { readonly type: "asked"; readonly node: ProjectNode }
  | { readonly type: "none" }
  /** The project names something that is not a version. */
  | { readonly type: "unreadable"; readonly from: string; readonly text: string };

/** Major versions with long-term support, newest first. */
const LTS_MAJORS = [26, 24, 22, 20, 18] as const;

/** Names of release lines with long-term support, as `.nvmrc` files use them. */
const LTS_NAMES: Readonly<Record<string, number>> = {
  krypton: 24,
  jod: 22,
  iron: 20,
  hydrogen: 18,
  gallium: 16,
};

/** Maximum length of a string that counts as a version, in characters. */
const MAX_TEXT = 128;

/** Minor and patch versions that are higher than those of any Node release. */
const LAST = "9999.9999";

const packageSchema = z.object({
  volta: z.object({ node: z.string() }).optional().catch(undefined),
  engines: z.object({ node: z.string() }).optional().catch(undefined),
});

/**
 * Converts a version, a range or a name such as `lts/hydrogen` to a range. Returns `undefined` for
 * any other string.
 */
function asRange(text: string): string | undefined {
  const name = text.toLowerCase();
  if (name === "node" || name === "stable" || name === "latest" || name === "current") return "*";
  if (name === "lts" || name === "lts/*" || name === "--lts") return String(LTS_MAJORS[0]);
  const major = LTS_NAMES[name.replace(/^lts\//, "")];
  if (major !== undefined) return String(major);
  return validRange(text) === null ? undefined : text.replace(/^v(?=\d)/, "");
}

/**
 * Returns the newest major version with long-term support in a range, or else the range itself. npm
 * accepts both.
 */
export function preferredNode(range: string): string {
  const major = LTS_MAJORS.find((each) => satisfies(`${each}.${LAST}`, range));
  return major === undefined ? range : String(major);
}

async function lineOf(reader: ProjectReader, path: string): Promise<string | undefined> {
  const text = await reader.readText(path);
  return text?.split("\n").map((line) => line.replace(/#.*/, "").trim()).find((line) =>
    line !== ""
  );
}

function parsePackage(text: string | undefined) {
  if (text === undefined) return undefined;
  try {
    return packageSchema.safeParse(JSON.parse(text.replace(/^\ufeff/, ""))).data;
  } catch {
    return undefined;
  }
}

async function askedIn(
  reader: ProjectReader,
  folder: string,
): Promise<{ readonly text: string; readonly from: string } | undefined> {
  for (const file of [".node-version", ".nvmrc"]) {
    const text = await lineOf(reader, `${folder}${file}`);
    if (text !== undefined) return { text, from: `${folder}${file}` };
  }
  const found = parsePackage(await reader.readText(`${folder}package.json`));
  const from = (field: string) => `${field} in ${folder}package.json`;
  if (found?.volta !== undefined) return { text: found.volta.node, from: from("volta.node") };
  if (found?.engines === undefined) return undefined;
  return { text: found.engines.node, from: from("engines.node") };
}

/**
 * Reads the required version from the project, then its workspace: `.node-version`, `.nvmrc`, then
 * `volta` and `engines` in package.json.
 */
export async function readProjectNode(
  reader: ProjectReader,
  { installsIn }: {
    /**
     * The folder of the project's workspace, relative to the project, or "" if it is not in one.
     */
    readonly installsIn: string;
  },
): Promise<ProjectNodeResult> {
  for (const folder of new Set(["", installsIn])) {
    const found = await askedIn(reader, folder);
    if (found === undefined) continue;
    const { text, from } = found;
    const asked = text.length > MAX_TEXT ? undefined : asRange(text.trim());
    if (asked === undefined) return { type: "unreadable", from, text: text.slice(0, MAX_TEXT) };
    return { type: "asked", node: { range: preferredNode(asked), asked, from } };
  }
  return { type: "none" };
}
