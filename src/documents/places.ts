import { CONTENTS, SCHEMAS } from "./contents.ts";

const NAMES: ReadonlySet<string> = new Set(
  CONTENTS.flatMap(({ entries }) => entries.map(({ name }) => name)),
);

/** The page of the document `api`. `/docs/api` is the API reference itself. */
const API_PAGE = "http-api";

export const pagePath = (name: string): string => `/docs/${name === "api" ? API_PAGE : name}`;

/** Returns the name of the document on a page, if there is one. */
export function nameOfPage(page: string): string | undefined {
  const name = page === API_PAGE ? "api" : page === "api" ? "" : page;
  return NAMES.has(name) ? name : undefined;
}

/**
 * Resolves a link in a document to a target on a platform: another page, a schema, a section of the
 * same page, or an https URL. Returns `undefined` for everything else, such as source code.
 */
export function placeOf(target: string): string | undefined {
  if (/^https:\/\/[\w.-]+(?:[/?#]|$)/.test(target)) return target;
  const [, path = "", fragment = ""] = /^([^#]*)(#[\w-]+)?$/.exec(target) ?? [];
  if (path === "") return fragment === "" ? undefined : fragment;
  const document = /^(?:\.\/)?([a-z-]+)\.md$/.exec(path)?.[1];
  if (document !== undefined && NAMES.has(document)) return `${pagePath(document)}${fragment}`;
  const schema = /^(?:\.\/)?schema\/([a-z.]+)$/.exec(path)?.[1];
  return schema !== undefined && Object.hasOwn(SCHEMAS, schema)
    ? `/docs/schema/${schema}`
    : undefined;
}
