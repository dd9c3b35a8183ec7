/**
 * @module Warns about rules that protect a folder but not the folder's own page. Static content
 * serves `/internal` from `internal/index.html`, but the prefix `/internal/` does not match that
 * path.
 */
import type { PathStep } from "../../lib/diagnostic.ts";
import type { Pace } from "../../lib/next_turn.ts";
import { describeValue } from "../../lib/describe_value.ts";
import { definitionOf } from "../actions/actions.ts";
import {
  conditionContains,
  type ConditionSet,
  conditionSetOf,
} from "../relations/condition_sets.ts";
import { PlaceIndex } from "../relations/place_index.ts";
import type { RuntimeCondition, RuntimePath, RuntimeRule } from "../rule_set/types.ts";
import type { PlacedRule } from "../validate/gates.ts";
import { warningAt } from "../finding.ts";
import { comparisonCost, countValues, type FindingSteps, LOOK_COST } from "../work.ts";

/** Code of the warning that a folder is closed, but its own page is not. */
export const OPEN_FOLDER_PAGE = "open_folder_page";

function closingOf({ action, enabled }: RuntimeRule): string | undefined {
  return enabled ? definitionOf(action).closes(action) : undefined;
}

/**
 * Returns the folder that a path condition covers completely, such as `/internal`, or `undefined`
 * if there is no such folder.
 */
function folderOf(path: RuntimePath | undefined): string | undefined {
  if (path === undefined) return undefined;
  if (path.type === "prefix") return path.value.length > 1 ? folderText(path.value) : undefined;
  const [first, second, ...more] = path.tokens ?? [];
  const isOpen = second?.type === "deep" || second?.type === "splat";
  return first?.type === "text" && isOpen && more.length === 0 ? folderText(first.text) : undefined;
}

const folderText = (text: string): string | undefined =>
  text.endsWith("/") && text !== "/" ? text.slice(0, -1) : undefined;

interface OpenPage {
  readonly folder: string;
  readonly path: readonly PathStep[];
  /** The condition, with the page instead of the folder. */
  readonly page: RuntimeCondition;
}

const exactly = (value: string): RuntimePath => ({ type: "exact", value });

/** Finds each folder that a condition covers, with the condition for its page. */
function* pagesOf({ index, rule }: PlacedRule): Generator<OpenPage> {
  const { condition } = rule;
  const base = ["rules", index, "condition"];
  const folder = folderOf(condition.path);
  if (folder !== undefined) {
    const page = { ...condition, path: exactly(folder) };
    yield { folder, path: [...base, "path", "value"], page };
  }
  for (const [at, leaf] of (condition.any ?? []).entries()) {
    const inner = folderOf(leaf.path);
    if (inner === undefined) continue;
    const page = { ...condition, any: [{ ...leaf, path: exactly(inner) }] };
    yield { folder: inner, path: [...base, "any", at, "path", "value"], page };
  }
}

interface Closer {
  readonly kind: string;
  readonly set: ConditionSet;
}

/**
 * Returns the conditions of a closing rule: its whole condition and, as separate conditions, the
 * items of `any` that have a path. They are separate because the index finds conditions by the path
 * at their root.
 */
function closersOf(rule: RuntimeRule, kind: string): Closer[] {
  const { any, ...rest } = rule.condition;
  const whole = { kind, set: conditionSetOf(rule.condition) };
  const apart = (any ?? [])
    .filter((leaf) => rest.path === undefined && leaf.path !== undefined)
    .map((leaf) => ({ kind, set: conditionSetOf({ ...rest, ...leaf }) }));
  return [whole, ...apart];
}

/** Maximum number of rules per path and host to compare in full. */
const MAX_COMPARED = 32;

function isClosed(
  index: PlaceIndex<Closer>,
  { kind, set: page }: Closer,
  pace: Pace,
): boolean {
  for (const list of index.listsAbove(page)) {
    const closes = list.slice(0, MAX_COMPARED)
      .some((closer) => {
        if (closer.kind !== kind) return false;
        pace.spend(comparisonCost(closer.set.values, page.values));
        return conditionContains(closer.set, page);
      });
    if (closes) return true;
  }
  return false;
}

/**
 * Returns the condition for a page. If it has a single item in `any`, the item's path is moved to
 * the root, as in `closersOf()`.
 */
function pageSet({ any, ...rest }: RuntimeCondition): ConditionSet {
  const [only] = any ?? [];
  const isFlat = rest.path === undefined && only !== undefined && any?.length === 1;
  return conditionSetOf(isFlat ? { ...rest, ...only } : { ...rest, ...(any ? { any } : {}) });
}

/**
 * Reports enabled denies and gates that close a folder, if no rule of the same kind closes its
 * page. Folders that are known to have no page are skipped.
 */
export function* warnFolderPages(
  rules: readonly PlacedRule[],
  pace: Pace,
  hasFolderPage: (folder: string) => boolean = () => true,
): FindingSteps {
  const closing: { readonly placed: PlacedRule; readonly kind: string }[] = [];
  for (const placed of rules) {
    const kind = closingOf(placed.rule);
    if (kind !== undefined) closing.push({ placed, kind });
    if (pace.fills(1)) yield;
  }
  const index = new PlaceIndex<Closer>(pace);
  for (const { placed, kind } of closing) {
    for (const closer of closersOf(placed.rule, kind)) index.add(closer);
    if (pace.fills(countValues(placed.rule.condition))) yield;
  }
  for (const { placed, kind } of closing) {
    if (pace.fills(LOOK_COST)) yield;
    for (const { folder, path, page } of pagesOf(placed)) {
      const isOpen = !isClosed(index, { kind, set: pageSet(page) }, pace);
      if (pace.fills(1)) yield;
      if (!isOpen || !hasFolderPage(folder)) continue;
      const shown = describeValue(folder);
      yield warningAt(path, {
        code: OPEN_FOLDER_PAGE,
        message: `Close ${shown} too: this rule applies only below it, and ${shown} serves the ` +
          `folder's index.html`,
        hint:
          `Add { path = { type = "exact", value = ${shown} } } too, in any or in a separate rule`,
      });
    }
  }
}
