/** @module Converts a `netlify.toml` into rules, and reports what it cannot convert. */
import * as z from "zod";
import type { PathStep } from "../../lib/diagnostic.ts";
import { parseToml, type TomlDocument } from "../../lib/toml.ts";
import { MAX_DEPTH } from "../limits.ts";
import { HeaderCollector } from "./header_rules.ts";
import {
  ImportCollector,
  type ImportResult,
  NoEquivalent,
  type SourceLine,
  UnreadableImportError,
} from "./import_result.ts";
import {
  checkQuery,
  DEFAULT_STATUS,
  forwardTarget,
  readFrom,
  RedirectCollector,
  type RedirectLine,
} from "./redirect_rules.ts";
import { readPrettyUrls } from "./page_settings.ts";
import { whereSvcHasIt } from "./netlify_settings.ts";

/** Maximum size of a file, in bytes. */
const MAX_BYTES = 1024 * 1024;

const STATUS_RULE = "The status is not a three-digit number";
const strings = z.record(z.string(), z.string());

/** A redirect, including the field names that Netlify accepted in the past. */
const redirectSchema = z.strictObject({
  from: z.string().optional(),
  origin: z.string().optional(),
  to: z.string().optional(),
  destination: z.string().optional(),
  status: z.union([z.int(), z.string().regex(/^\d{3}$/, STATUS_RULE).transform(Number)])
    .refine((status) => status >= 100 && status <= 599, STATUS_RULE).optional(),
  force: z.boolean().default(false),
  query: strings.optional(),
  params: strings.optional(),
  parameters: strings.optional(),
  conditions: z.record(
    z.string(),
    z.union([z.string().transform((one) => [one]), z.array(z.string())]),
  )
    .default({}),
  headers: strings.default({}),
});

const headersSchema = z.strictObject({
  for: z.string(),
  values: z.record(z.string(), z.union([z.string(), z.array(z.string())])).default({}),
});

/** Fields of a redirect that have no equivalent in rules, with the reasons. */
const BEYOND_RULES: Readonly<Record<string, string>> = {
  signed: "svc cannot sign the request to the target",
  signing: "svc cannot sign the request to the target",
  sign: "svc cannot sign the request to the target",
  rate_limit: "A redirect cannot have a limit: write a rule with rate_limit",
};

function parse<T>(schema: z.ZodType<T>, raw: unknown): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const name = issue?.code === "unrecognized_keys" ? issue.keys[0]! : issue?.path.join(".") ?? "";
  if (name === "status") throw new NoEquivalent(STATUS_RULE);
  throw new NoEquivalent(
    (Object.hasOwn(BEYOND_RULES, name) ? BEYOND_RULES[name] : undefined) ??
      (name === "" ? "It is not a table" : `The field "${name}" has no equivalent`),
  );
}

function readCountries(conditions: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(conditions).flatMap(([name, values]) => {
    if (name.toLowerCase() === "country") return values;
    throw new NoEquivalent(`svc does not support conditions on ${name}`);
  });
}

function readRedirect(raw: unknown): RedirectLine {
  const entry = parse(redirectSchema, raw);
  const from = (entry.from ?? entry.origin)?.trim();
  if (from === undefined) throw new NoEquivalent(`The redirect needs "from"`);
  if (Object.keys(entry.headers).length > 0) {
    throw new NoEquivalent("svc cannot set headers on the request to the target");
  }
  const { status = DEFAULT_STATUS.netlify } = entry;
  const isForward = status >= 200 && status <= 299 && from.endsWith("/*");
  const target = (entry.to ?? entry.destination)?.trim() ??
    (isForward ? forwardTarget(from) : undefined);
  if (target === undefined) throw new NoEquivalent(`The redirect needs "to"`);
  const geo = readCountries(entry.conditions);
  return {
    flavor: "netlify",
    ...readFrom(from, "netlify"),
    query: checkQuery(entry.query ?? entry.params ?? entry.parameters ?? {}),
    target,
    status,
    geo,
    // Netlify applies rules with a country condition before it checks for a file.
    isForced: entry.force || geo.length > 0,
  };
}

/** Returns a header's values without trailing commas, one for each line or list item. */
function valuesOf(written: string | readonly string[]): string[] {
  const lines = [written].flat().flatMap((text) => text.split(/\r?\n/));
  return lines.map((line) => line.trim().replace(/,$/, "").trimEnd()).filter((line) => line !== "");
}

class NetlifyImport {
  readonly #collector = new ImportCollector();
  readonly #lines: readonly string[];

  readonly #document: TomlDocument;

  constructor(text: string, document: TomlDocument) {
    this.#document = document;
    this.#lines = text.split(/\r?\n/);
  }

  run(): ImportResult {
    for (const [name, value] of Object.entries(this.#document.value)) {
      const isList = Array.isArray(value);
      if (name === "redirects" && isList) this.#redirects(value);
      else if (name === "headers" && isList) this.#headers(value);
      else this.#settings([name], value);
    }
    return this.#collector.result();
  }

  #source(path: readonly PathStep[]): SourceLine {
    const line = this.#document.locateKey(path)?.line ?? this.#document.locate(path)?.line ?? 1;
    return { line, text: this.#lines[line - 1] ?? "" };
  }

  #redirects(entries: readonly unknown[]): void {
    const redirects = new RedirectCollector(this.#collector);
    entries.forEach((entry, index) => {
      const source = this.#source(["redirects", index, "from"]);
      redirects.take(source, `netlify-redirect-${index + 1}`, () => readRedirect(entry));
    });
  }

  #headers(entries: readonly unknown[]): void {
    const headers = new HeaderCollector(this.#collector, "netlify");
    entries.forEach((entry, index) => {
      const source = this.#source(["headers", index, "for"]);
      let read: z.infer<typeof headersSchema>;
      try {
        read = parse(headersSchema, entry);
      } catch (error) {
        if (!(error instanceof NoEquivalent)) throw error;
        return this.#collector.refuse(source, error.message);
      }
      const known = headers.path(source, {
        id: `netlify-headers-${index + 1}`,
        path: read.for.trim(),
      });
      if (!known) return;
      for (const [name, written] of Object.entries(read.values)) {
        const at = this.#source(["headers", index, "values", name]);
        const values = valuesOf(written);
        for (const value of values.length === 0 ? [""] : values) {
          headers.header(at, `${name.trim()}: ${value}`);
        }
      }
    });
    headers.finish();
  }

  /** Reports the settings in a table at any depth, each with its equivalent in svc. */
  #settings(path: readonly PathStep[], value: unknown): void {
    const isTable = typeof value === "object" && value !== null && !(value instanceof Date);
    const setting = readPrettyUrls(path, value);
    if (setting !== undefined) return this.#collector.set(setting);
    if (!isTable || Array.isArray(value) && value.every((one) => typeof one !== "object")) {
      this.#collector.refuse(this.#source(path), whereSvcHasIt(path, value));
      return;
    }
    const entries: (readonly [PathStep, unknown])[] = Array.isArray(value)
      ? value.map((one, index) => [index, one] as const)
      : Object.entries(value);
    for (const [step, one] of entries) this.#settings([...path, step], one);
  }
}

/**
 * Turns the text of a `netlify.toml` into a rule set.
 *
 * @throws {UnreadableImportError} if the text is not TOML
 */
export function importNetlifyToml(text: string): ImportResult {
  const source = text.replace(/^\uFEFF/, "");
  const parsed = parseToml(source, { maxBytes: MAX_BYTES, maxDepth: MAX_DEPTH });
  if (parsed.ok) return new NetlifyImport(source, parsed.document).run();
  const [{ message, position } = { message: "It is not valid TOML" }] = parsed.diagnostics;
  throw new UnreadableImportError(
    position === undefined ? message : `Line ${position.line}: ${message}`,
  );
}
