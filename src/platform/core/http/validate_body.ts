/**
 * Validates a body against its endpoint's schema. Long lists are validated in steps, so other work
 * can run in between.
 *
 * @module
 */
import * as z from "zod";
import type { Problem } from "../../../contract/common.ts";
import { formatPath, type PathStep } from "../../../lib/diagnostic.ts";
import { createPause, nextTurn } from "../../../lib/next_turn.ts";
import type { ParsedJson } from "../../../lib/parse_json.ts";
import { MAX_PROBLEMS } from "../../../lib/schema_problems.ts";

/** Number of values to check in one turn of the event loop. */
const VALUES_PER_TURN = 5000;

/** Finds the first ill-formed string in a JSON value. Checks both member names and values. */
async function findIllFormed(root: unknown): Promise<readonly PathStep[] | undefined> {
  const waiting: { readonly value: unknown; readonly path: readonly PathStep[] }[] = [
    { value: root, path: [] },
  ];
  for (let count = 1; waiting.length > 0; count++) {
    if (count % VALUES_PER_TURN === 0) await nextTurn();
    const { value, path } = waiting.pop()!;
    if (typeof value === "string" && !value.isWellFormed()) return path;
    if (typeof value !== "object" || value === null) continue;
    const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
    for (const [step, item] of entries.reverse()) {
      if (typeof step === "string" && !step.isWellFormed()) return [...path, step];
      if (typeof item === "string" || typeof item === "object") {
        waiting.push({ value: item, path: [...path, step] });
      }
    }
  }
  return undefined;
}

const MAX_NAMED = 10;

/**
 * Maximum length of a problem's path and message, in characters. Both contain names that the sender
 * chooses.
 */
const MAX_TEXT = 500;

const shortened = (text: string): string =>
  text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT)}…`.toWellFormed();

function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code !== "unrecognized_keys" || issue.keys.length <= MAX_NAMED) return issue.message;
  const named = issue.keys.slice(0, MAX_NAMED).map((key) => `"${shortened(key)}"`).join(", ");
  return `Unrecognized keys: ${named}, and ${issue.keys.length - MAX_NAMED} more`;
}

const ITEMS_PER_TURN = 250;

export type Validated =
  | { readonly ok: true; readonly data: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function problemsOf(error: z.ZodError, where: readonly PathStep[]): Problem[] {
  return error.issues.slice(0, MAX_PROBLEMS).map((issue) => ({
    path: shortened(
      formatPath([...where, ...issue.path.filter((step) => typeof step !== "symbol")]),
    ),
    message: shortened(messageOf(issue)),
  }));
}

function longLists(schema: z.ZodType, body: unknown): Map<string, z.ZodArray> {
  const lists = new Map<string, z.ZodArray>();
  if (!(schema instanceof z.ZodObject) || typeof body !== "object" || body === null) return lists;
  for (const [name, value] of Object.entries(body)) {
    let member: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined;
    if (member instanceof z.ZodDefault || member instanceof z.ZodOptional) member = member.unwrap();
    if (!(member instanceof z.ZodArray) || !Array.isArray(value)) continue;
    if (value.length > ITEMS_PER_TURN) lists.set(name, member);
  }
  return lists;
}

async function validateItems(list: z.ZodArray, items: readonly unknown[], name: string) {
  const pieces = z.array(list.element as z.ZodType);
  const data: unknown[] = [];
  const problems: Problem[] = [];
  const pause = createPause();
  for (let start = 0; start < items.length && problems.length < MAX_PROBLEMS;) {
    const result = pieces.safeParse(items.slice(start, start + ITEMS_PER_TURN));
    for (const item of result.data ?? []) data.push(item);
    for (const { path, ...issue } of result.error?.issues ?? []) {
      const [index, ...rest] = path;
      const moved = { ...issue, path: [name, start + Number(index), ...rest] } as z.core.$ZodIssue;
      problems.push(...problemsOf(new z.ZodError([moved]), ["body"]));
    }
    start += ITEMS_PER_TURN;
    await pause();
  }
  return { data, problems };
}

async function validateInPieces(
  schema: z.ZodObject,
  body: unknown,
  lists: ReadonlyMap<string, z.ZodArray>,
): Promise<Validated> {
  // Checks the lists themselves, such as their length, but not their items.
  const outlines = Object.fromEntries(
    [...lists].map(([name, list]) => [
      name,
      new z.ZodArray({ ...list.def, element: z.unknown() } as typeof list.def),
    ]),
  );
  const outline = schema.safeExtend(outlines).safeParse(body);
  if (!outline.success) return { ok: false, problems: problemsOf(outline.error, ["body"]) };
  const data: Record<string, unknown> = { ...outline.data };
  for (const [name, list] of lists) {
    const result = await validateItems(list, data[name] as unknown[], name);
    if (result.problems.length > 0) {
      return { ok: false, problems: result.problems.slice(0, MAX_PROBLEMS) };
    }
    data[name] = result.data;
  }
  return { ok: true, data };
}

/** Validates a body. An empty body counts as an empty object. */
export async function validateBody(schema: z.ZodType, parsed: ParsedJson): Promise<Validated> {
  const body = parsed.value === undefined ? {} : parsed.value;
  const illFormed = parsed.mayBeIllFormed ? await findIllFormed(body) : undefined;
  if (illFormed !== undefined) {
    const path = shortened(formatPath(["body", ...illFormed])).toWellFormed();
    const message = "Must be well-formed Unicode: it has a lone surrogate";
    return { ok: false, problems: [{ path, message }] };
  }
  const lists = longLists(schema, body);
  if (schema instanceof z.ZodObject && lists.size > 0) {
    return await validateInPieces(schema, body, lists);
  }
  const result = schema.safeParse(body);
  return result.success
    ? { ok: true, data: result.data }
    : { ok: false, problems: problemsOf(result.error, ["body"]) };
}
