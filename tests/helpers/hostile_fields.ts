/**
 * The contract's fields that accept markup. They are collected from every endpoint's request
 * body, so tests cover new fields automatically.
 *
 * @module
 */
import * as z from "zod";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { endpoints } from "../../src/contract/endpoints.ts";
import type { ApiAnswer } from "./platform.ts";

/** Markup that calls `alert()`, or creates an element, wherever it is not escaped. */
export const MARKUP =
  `"'><script>alert(1)</script><img src=x onerror=alert(2)><svg onload=alert(3)>`;
/** Markup that is allowed in a path. */
export const IN_PATH = `/<svg/onload=alert(4)>"'><img/src=x/onerror=alert(5)>`;
/** Markup that is a valid branch name. */
export const BRANCH = `<svg/onload=alert(6)>"`;
/** Hostile URLs, and a link that would run a script. */
const ADDRESSES = [`https://shop.example/"><svg/onload=alert(7)>`, `javascript:alert(8)`];

const TEXTS = [MARKUP, IN_PATH, BRANCH, ...ADDRESSES];

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly format?: string;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** String formats that cannot contain markup. */
const NARROW = new Set(["uuid", "date-time", "date", "base64", "email"]);

/** Returns markup that a field with this schema accepts; `undefined` if the schema accepts none. */
function markupFor(schema: Schema): string | undefined {
  const { enum: values, const: value, pattern, format, maxLength = Infinity } = schema;
  if (values !== undefined || value !== undefined || NARROW.has(format ?? "")) return undefined;
  const fits = (text: string) =>
    text.length <= maxLength && (pattern === undefined || new RegExp(pattern, "u").test(text));
  return (format === "uri" ? ADDRESSES : TEXTS).find(fits);
}

/**
 * A field and its markup. The field is identified by its path in the body, such as `data.detail` or
 * `files[].path`.
 */
type OpenFields = ReadonlyMap<string, string>;

function collect(schema: Schema, place: string, root: Schema, found: Map<string, string>): void {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1)!;
    return collect(root.$defs?.[name] ?? {}, place, root, found);
  }
  if ([schema.type].flat().includes("string")) {
    const text = markupFor(schema);
    if (text !== undefined) found.set(place, text);
  }
  for (const [name, each] of Object.entries(schema.properties ?? {})) {
    collect(each, place === "" ? name : `${place}.${name}`, root, found);
  }
  if (schema.items !== undefined) collect(schema.items, `${place}[]`, root, found);
  for (const each of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) => list ?? [])) {
    collect(each, place, root, found);
  }
}

/** Finds the fields in each operation's body that accept markup. */
export function openFields(): ReadonlyMap<string, OpenFields> {
  const all = new Map<string, OpenFields>();
  for (const [operation, { body }] of Object.entries(endpoints) as [string, Endpoint][]) {
    if (!(body instanceof z.ZodType)) continue;
    const root = z.toJSONSchema(body, { io: "input", unrepresentable: "any" }) as Schema;
    const found = new Map<string, string>();
    collect(root, "", root, found);
    if (found.size > 0) all.set(operation, found);
  }
  return all;
}

type Body = Readonly<Record<string, unknown>>;

/**
 * Returns a body with a string at a path. Lists get one member, and missing objects are created.
 */
function put(body: Body, place: string, text: string): Body {
  const [, name = "", list, rest = ""] = /^([^.[]+)(\[\])?\.?(.*)$/.exec(place)!;
  const there = body[name];
  const below = (inside: unknown) => rest === "" ? text : put((inside ?? {}) as Body, rest, text);
  if (list === undefined) return { ...body, [name]: below(there) };
  return { ...body, [name]: [below(Array.isArray(there) ? there[0] : undefined)] };
}

/** Sends bodies whose fields contain markup, and records which of them were accepted. */
export class HostileSender {
  /** Fields whose markup was accepted (`taken`) or rejected (`refused`) in at least one call. */
  readonly taken = new Set<string>();
  readonly refused = new Set<string>();
  readonly #open = openFields();

  readonly #call: (method: string, path: string, body: unknown) => Promise<ApiAnswer>;

  constructor(call: (method: string, path: string, body: unknown) => Promise<ApiAnswer>) {
    this.#call = call;
  }

  /**
   * Fills all fields of an operation that accept markup, or only the fields in `only`. Fills them
   * all at once or, if that is rejected, one by one. Returns the last successful response.
   */
  async fill(operation: keyof typeof endpoints, given: {
    /** Values of the path parameters. */
    readonly params?: Readonly<Record<string, string>>;
    /**
     * The fields that must be valid. A function returns them for the nth call if a name can be used
     * only once.
     */
    readonly base?: Body | ((turn: number) => Body);
    readonly only?: RegExp;
  }): Promise<ApiAnswer | undefined> {
    const { params = {}, base = {}, only = /^/ } = given;
    const { method, path: template } = endpoints[operation];
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) => params[name]!);
    const baseOf = typeof base === "function" ? base : () => base;
    const fields = [...this.#open.get(operation) ?? []].filter(([place]) => only.test(place));
    if (fields.length === 0) throw new Error(`${operation} has no such field that accepts markup`);
    let turn = 0;
    const send = async (some: typeof fields): Promise<ApiAnswer | undefined> => {
      const body = some.reduce((body, [at, text]) => put(body, at, text), baseOf(turn++));
      const answer = await this.#call(method, path, body);
      const isWrong = answer.status >= 500 || answer.json?.error?.startsWith("No such endpoint");
      if (isWrong) throw new Error(`${operation}: ${JSON.stringify(answer.json)}`);
      if (answer.status >= 300) return undefined;
      for (const [at] of some) this.taken.add(`${operation} ${at}`);
      return answer;
    };
    let last = await send(fields);
    if (last !== undefined) return last;
    // A field whose markup was accepted in another call does not count as rejected, because an
    // operation's variants have different fields.
    for (const field of fields) {
      const answer = await send([field]);
      if (answer === undefined) this.refused.add(`${operation} ${field[0]}`);
      else last = answer;
    }
    return last;
  }

  /** Fields whose markup was rejected in every call. */
  get neverTaken(): string[] {
    return [...this.refused].filter((field) => !this.taken.has(field));
  }

  /** Returns the contract's fields that were never filled. */
  forgotten(elsewhere: (field: string) => boolean): string[] {
    return [...this.#open].flatMap(([operation, fields]) =>
      [...fields.keys()].map((place) => `${operation} ${place}`)
    ).filter((field) => !this.taken.has(field) && !this.refused.has(field) && !elsewhere(field));
  }
}
