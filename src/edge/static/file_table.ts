/**
 * @module The files of a STATIC layer by normalized URL path. Requests cannot reach anything else.
 */
import { inSteps, type Steps } from "../../lib/next_turn.ts";
import type { PageUrls } from "../../lib/page_urls.ts";
import { normalizePath } from "../../rules/mod.ts";
import type { HeaderList } from "../messages/header_list.ts";
import type { ContentCoding } from "./accept_encoding.ts";
import {
  addressOf,
  type AddressRules,
  addressRules,
  type HasFile,
  nameFile,
} from "./page_addresses.ts";
import { Representation, type SiteFile, type StaticFile } from "./static_file.ts";

export interface FileTable {
  /** Files by normalized path; see `findFile()`. */
  readonly byPath: ReadonlyMap<string, StaticFile>;
  /** Whether there is a file at a normalized path. */
  readonly has: HasFile;
  /** The settings that determine pages' URLs. */
  readonly addresses: AddressRules;
  /** Paths of files by their lowercase form; `undefined` if case matters. */
  readonly byLowerCase: LowerCasePaths | undefined;
  /** The layer's `404.html`. */
  readonly notFound: StaticFile | undefined;
  /** The page to serve if a document has no file. */
  readonly fallback: Fallback | undefined;
}

interface LowerCasePaths {
  /** Returns the path of a file, given its lowercase form. */
  readonly get: (lower: string) => string | undefined;
  readonly has: HasFile;
}

/** The page of a single-page app. */
export interface Fallback {
  readonly file: StaticFile;
  /** Normalized path with a trailing slash. The page is served for every path below it. */
  readonly below: string;
}

/**
 * The folder with the build's internal records, at the root of the output directory. This folder is
 * never public.
 */
const PRIVATE_FOLDER = ".svc/";

const VARIANTS: readonly { readonly coding: ContentCoding; readonly suffix: string }[] = [
  { coding: "br", suffix: ".br" },
  { coding: "gzip", suffix: ".gz" },
];

const NO_VARIANTS: readonly Representation[] = Object.freeze([]);

/**
 * Returns the normalized URL path of a file: the path that `normalizePath()` returns for every
 * spelling of the file's URL. A `%` in a file name is data, so it is encoded first.
 *
 * @throws {TypeError} If no URL can name the file
 */
export function urlPathOf(path: string): string {
  const normalized = normalizePath(`/${path.replaceAll("%", "%25")}`);
  if (typeof normalized === "string") return normalized;
  throw new TypeError(`Cannot serve "${path}": its name cannot be part of a URL`);
}

interface FileTableOptions {
  /** The layer's folder; `.` is the output directory. */
  readonly directory: string;
  /** Header fields of every response. */
  readonly common: HeaderList;
  /** The page to serve if a document has no file: the path of the page in the output. */
  readonly fallback?: string | undefined;
  /** The settings that determine pages' URLs. */
  readonly urls?: PageUrls | undefined;
  /** Returns whether a file is never served, given its path in the output. */
  readonly isHidden?: ((path: string) => boolean) | undefined;
}

/** Returns the public files of a layer, with paths relative to the layer's folder. */
function* filesOfLayer(
  files: readonly SiteFile[],
  { directory, isHidden }: FileTableOptions,
): Steps<ReadonlyMap<string, SiteFile>> {
  const prefix = directory === "." || directory === "" ? "" : `${directory}/`;
  const found = new Map<string, SiteFile>();
  yield* inSteps(files, (file) => {
    if (file.path.startsWith(PRIVATE_FOLDER) || !file.path.startsWith(prefix)) return;
    if (isHidden?.(file.path)) return;
    found.set(file.path.slice(prefix.length), file);
  });
  return found;
}

function hasName(names: Iterable<string>, suffix: string): boolean {
  for (const name of names) if (name.endsWith(suffix)) return true;
  return false;
}

/** Builds the table for one layer. */
export function* createFileTable(
  files: readonly SiteFile[],
  options: FileTableOptions,
): Steps<FileTable> {
  const { common } = options;
  const stored = yield* filesOfLayer(files, options);
  const byPath = new Map<string, StaticFile>();
  const variants = VARIANTS.filter(({ suffix }) => hasName(stored.keys(), suffix));
  yield* inSteps(stored, ([path, file]) => {
    const compressed = variants.flatMap(({ coding, suffix }) => {
      const variant = stored.get(path + suffix);
      return variant === undefined
        ? []
        : [new Representation(variant, { path, coding, varies: true, common })];
    });
    const varies = compressed.length > 0;
    byPath.set(urlPathOf(path), {
      plain: new Representation(file, { path, coding: undefined, varies, common }),
      variants: varies ? compressed : NO_VARIANTS,
    });
  });
  const addresses = addressRules(options.urls);
  return {
    byPath,
    has: (path) => byPath.has(path),
    addresses,
    byLowerCase: addresses.ignoreCase ? yield* lowerCaseOf(byPath) : undefined,
    notFound: byPath.get("/404.html"),
    fallback: fallbackOf(byPath, options),
  };
}

/**
 * Indexes paths by their lowercase form. If paths differ only in case, the first one in path order
 * is used.
 */
function* lowerCaseOf(byPath: FileTable["byPath"]): Steps<LowerCasePaths> {
  const found = new Map<string, string>();
  yield* inSteps(byPath, ([path]) => {
    const lower = path.toLowerCase();
    const other = found.get(lower);
    if (other === undefined || path < other) found.set(lower, path);
  });
  return { get: (lower) => found.get(lower), has: (lower) => found.has(lower) };
}

function fallbackOf(
  byPath: FileTable["byPath"],
  { directory, fallback }: FileTableOptions,
): Fallback | undefined {
  if (fallback === undefined) return undefined;
  const prefix = directory === "." || directory === "" ? "" : `${directory}/`;
  if (!fallback.startsWith(prefix)) return undefined;
  const path = urlPathOf(fallback.slice(prefix.length));
  const file = byPath.get(path);
  return file === undefined ? undefined : { file, below: path.slice(0, path.lastIndexOf("/") + 1) };
}

/** A file, and the path at which it is served. */
export interface FoundFile {
  readonly file: StaticFile;
  /** Normalized. Other paths that refer to the file redirect to this one. */
  readonly address: string;
}

/** Finds the path of the file that a requested path refers to. */
function named({ has, byLowerCase }: FileTable, path: string): string | undefined {
  const exact = nameFile(path, has);
  if (exact !== undefined || byLowerCase === undefined) return exact;
  const lower = nameFile(path.toLowerCase(), byLowerCase.has);
  return lower === undefined ? undefined : byLowerCase.get(lower);
}

/**
 * Finds the file that a normalized path refers to: the file itself, `<path>.html` or
 * `<path>/index.html`, with or without a trailing slash. Each file is served at a single path.
 */
export function findFile(table: FileTable, path: string): FoundFile | undefined {
  const { byPath, has, addresses } = table;
  const key = named(table, path);
  if (key === undefined) return undefined;
  return { file: byPath.get(key)!, address: addressOf(key, has, addresses) };
}
