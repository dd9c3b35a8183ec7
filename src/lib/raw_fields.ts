/**
 * @module The array of pairs in which Deno stores the header fields of a `Headers` object.
 * `Headers` checks and converts its arguments in each call. `has()`, `set()` and `append()` take up
 * to a microsecond each, and there are many such calls in the request path. The array is not part
 * of a public interface, so it is located and tested at startup. If it is missing, the methods of
 * `Headers` are used.
 */

/** One header field: its name, and its value. */
export type RawField = [name: string, value: string];

/** The description of the symbol under which Deno keeps the array. */
const LIST_NAME = "header list";

type WithLists = Readonly<Record<symbol, RawField[] | null | undefined>>;

/** Returns the array that `headers` stores under `key`, or `undefined` if there is none. */
export function listOf(headers: Headers, key: symbol | undefined): RawField[] | undefined {
  return key === undefined ? undefined : (headers as unknown as WithLists)[key] ?? undefined;
}

/** Returns whether changes to the array under `key` change a response's headers. */
function isTheList(key: symbol): boolean {
  const { headers } = new Response("");
  const list = listOf(headers, key);
  if (!Array.isArray(list)) return false;
  list.length = 0;
  list.push(["etag", '"1"'], ["vary", "accept"]);
  return JSON.stringify([...headers]) === JSON.stringify(list);
}

/**
 * Returns the symbol under which this runtime keeps the array, or `undefined` if it works
 * differently.
 */
export function findListKey(): symbol | undefined {
  const keys = Object.getOwnPropertySymbols(new Response("").headers);
  const key = keys.find(({ description }) => description === LIST_NAME);
  return key !== undefined && isTheList(key) ? key : undefined;
}

const LIST_KEY = findListKey();

/** Deno's name for the symbol of the object behind a `Request`. */
const INNER_NAME = "request";

const INNER_KEY = Object.getOwnPropertySymbols(new Request("http://localhost/"))
  .find(({ description }) => description === INNER_NAME);

type WithInner = Readonly<Record<symbol, { readonly headerList?: unknown } | undefined>>;

/**
 * Returns all header fields of a request, read in one call, while the public API reads each one
 * separately. Returns `undefined` if the runtime works differently.
 */
export function allFieldsOf(request: Request): readonly RawField[] | undefined {
  const known = listOf(request.headers, LIST_KEY);
  if (known !== undefined || INNER_KEY === undefined) return known;
  const list = (request as unknown as WithInner)[INNER_KEY]?.headerList;
  return Array.isArray(list) ? list : undefined;
}

/** Returns whether there is a field with this lowercase name. */
export function hasField(headers: Headers, name: string, key = LIST_KEY): boolean {
  const list = listOf(headers, key);
  if (list === undefined) return headers.has(name);
  const { length } = name;
  for (const [own] of list) {
    if (own.length === length && (own === name || own.toLowerCase() === name)) return true;
  }
  return false;
}

/**
 * Returns the value of a field, given its lowercase name, as `Headers.get()` returns it: multiple
 * lines are joined with commas.
 */
export function fieldOf(headers: Headers, name: string, key = LIST_KEY): string | null {
  const list = listOf(headers, key);
  return list === undefined ? headers.get(name) : valueIn(list, name);
}

/** Returns the value of a field in a list, like `fieldOf()`. */
export function valueIn(list: readonly RawField[], name: string): string | null {
  const { length } = name;
  let value: string | null = null;
  for (const field of list) {
    const own = field[0];
    if (own.length !== length || (own !== name && own.toLowerCase() !== name)) continue;
    value = value === null ? field[1] : `${value}, ${field[1]}`;
  }
  return value;
}

/** Adds a field, which must be valid and must not exist yet. */
export function addField(headers: Headers, field: RawField, key = LIST_KEY): void {
  const list = listOf(headers, key);
  if (list === undefined) headers.set(...field);
  else list.push(field);
}

/**
 * Adds all fields of a `Headers` object to another `Headers` object that has none of these fields.
 */
export function addFieldsOf(from: Headers, to: Headers, key = LIST_KEY): void {
  const [source, target] = [listOf(from, key), listOf(to, key)];
  if (source === undefined || target === undefined) {
    for (const [name, value] of from) to.append(name, value);
  } else for (const field of source) target.push(field);
}
