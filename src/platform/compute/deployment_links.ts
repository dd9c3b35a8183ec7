/**
 * A deployment's symbolic links, which the packages of Node servers need. The links are read from a
 * file in the output, and must not point outside the deployment's folder. Pure.
 *
 * @module
 */
import * as z from "zod";
import { parseRelativePath } from "../../manifest/mod.ts";

export const MAX_LINKS = 20_000;

/** Maximum size of the list, in bytes. */
export const MAX_LINKS_BYTES = 8 * 1024 * 1024;

const MAX_PATH = 4096;

const schema = z.strictObject({
  version: z.literal(1),
  links: z.record(z.string().max(MAX_PATH), z.string().min(1).max(MAX_PATH)),
});

export type Links = ReadonlyMap<string, string>;

/** A deployment's list of links is invalid. The message is for the person who deploys. */
export class LinksError extends Error {
  override readonly name = "LinksError";
}

function parse(text: string): Readonly<Record<string, string>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LinksError("it is not valid JSON");
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data.links;
  const { path, message } = result.error.issues[0]!;
  throw new LinksError(path.length === 0 ? message : `${path.join(".")}: ${message}`);
}

function foldersAbove(path: string): string[] {
  const steps = path.split("/");
  return steps.map((_, at) => steps.slice(0, at).join("/")).filter((each) => each !== "").reverse();
}

/**
 * Returns why a target is not allowed. `..` can appear only at the start of the target, so other
 * links do not affect the result.
 */
function refuseTarget(path: string, target: string): string | undefined {
  const [, up = "", rest = ""] = /^((?:\.\.\/)*(?:\.\.$)?)(.*)$/s.exec(target) ?? [];
  const parsed = parseRelativePath(rest);
  if (!parsed.ok) return `its target ${JSON.stringify(target)} ${parsed.reason}`;
  const levels = up.split("..").length - 1;
  return levels > foldersAbove(path).length
    ? `its target ${JSON.stringify(target)} points outside the deployment`
    : undefined;
}

function refuseLink(path: string, links: Links, files: ReadonlySet<string>): string | undefined {
  const parsed = parseRelativePath(path);
  if (!parsed.ok) return `the path ${parsed.reason}`;
  if (parsed.path !== path || path === ".") return "the path is not normalized";
  if (files.has(path)) return "a file or folder already exists there";
  const inside = foldersAbove(path).find((folder) => links.has(folder));
  if (inside !== undefined) return `it is inside the link ${inside}`;
  return refuseTarget(path, links.get(path)!);
}

/**
 * @param paths the paths of all files.
 * @throws {LinksError} if the list is malformed, or if a link points outside the deployment's
 * folder
 */
export function parseLinks(text: string, paths: readonly string[]): Links {
  const links = new Map(Object.entries(parse(text)));
  if (links.size > MAX_LINKS) {
    throw new LinksError(`it has ${links.size} links; at most ${MAX_LINKS} are allowed`);
  }
  const taken = new Set(paths.flatMap((path) => [path, ...foldersAbove(path)]));
  for (const path of links.keys()) {
    const reason = refuseLink(path, links, taken);
    if (reason !== undefined) throw new LinksError(`link ${JSON.stringify(path)}: ${reason}`);
  }
  return links;
}
