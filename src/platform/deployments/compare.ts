/** Compares the contents of two deployments. Pure. @module */
import {
  type Difference,
  type Differences,
  MAX_DIFFERENCES,
} from "../../contract/deployment_comparison.ts";
import { inSteps, type Steps } from "../../lib/next_turn.ts";
import type { Route } from "../../manifest/mod.ts";
import type { RuntimeRuleSet } from "../../rules/mod.ts";
import type { DeploymentContent } from "./content.ts";

/** Maximum length of an old or new value, in characters. */
const MAX_TEXT = 400;

/** A comparable part of a deployment. Equal parts have equal values of `mark`. */
interface Part {
  readonly name: string;
  readonly mark: string;
  /** A short description. */
  readonly text: string | null;
}

const shorten = (text: string): string =>
  text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;

/** Compares two lists. Each name occurs only once per list. */
function* compareParts(before: readonly Part[], after: readonly Part[]): Steps<Differences> {
  const counts = { added: 0, removed: 0, changed: 0 };
  const found: Difference[] = [];
  const left = new Map<string, Part>();
  yield* inSteps(before, (part) => left.set(part.name, part));
  const note = (
    name: string,
    change: Difference["change"],
    parts: readonly [Part | undefined, Part | undefined],
  ) => {
    counts[change]++;
    const [was, is] = parts.map((part) => part?.text ?? null);
    found.push({ name, change, before: was ?? null, after: is ?? null });
  };
  yield* inSteps(after, (part) => {
    const was = left.get(part.name);
    left.delete(part.name);
    if (was === undefined) note(part.name, "added", [undefined, part]);
    else if (was.mark !== part.mark) note(part.name, "changed", [was, part]);
  });
  yield* inSteps([...left.values()], (part) => note(part.name, "removed", [part, undefined]));
  found.sort((a, b) => a.name < b.name ? -1 : 1);
  return { ...counts, items: found.slice(0, MAX_DIFFERENCES) };
}

const fileParts = (files: DeploymentContent["files"]): Part[] =>
  files.map(({ path, sha256, size }) => ({
    name: path,
    mark: sha256,
    text: size === 1 ? "1 byte" : `${size} bytes`,
  }));

function routeText({ layer, priority, revalidate, fallthrough }: Route): string {
  return [
    `to ${layer}`,
    ...(priority === undefined ? [] : [`priority ${priority}`]),
    ...(revalidate === undefined ? [] : [`cached for ${revalidate} s`]),
    ...(fallthrough === undefined ? [] : [fallthrough ? "falls through" : "does not fall through"]),
  ].join(", ");
}

/** Several routes can have the same methods and pattern, so their names are numbered. */
function routeParts(routes: readonly Route[]): Part[] {
  const seen = new Map<string, number>();
  return routes.map((route) => {
    const plain = `${route.methods?.join(", ") ?? "*"} ${route.pattern}`;
    const number = (seen.get(plain) ?? 0) + 1;
    seen.set(plain, number);
    const text = routeText(route);
    return { name: number === 1 ? plain : `${plain} (${number})`, mark: text, text };
  });
}

/** Leaves out the rules' parsed form, because it is derived from the other fields. */
function* ruleParts(ruleSet: RuntimeRuleSet | null): Steps<Part[]> {
  const parts: Part[] = [];
  yield* inSteps(ruleSet?.rules ?? [], (rule) => {
    const { id, ...rest } = rule;
    const mark = JSON.stringify(rest, (name, value) => name === "tokens" ? undefined : value);
    parts.push({ name: id, mark, text: shorten(mark) });
  });
  return parts;
}

/** Returns whether the items that occur in both lists are in a different order. */
function isReordered(before: readonly Part[], after: readonly Part[]): boolean {
  const common = (of: readonly Part[], other: readonly Part[]) => {
    const names = new Set(other.map(({ name }) => name));
    return of.filter(({ name }) => names.has(name)).map(({ name }) => name);
  };
  const now = common(after, before);
  return common(before, after).some((name, index) => name !== now[index]);
}

export function* compareContents(before: DeploymentContent, after: DeploymentContent): Steps<{
  readonly files: Differences;
  readonly routes: Differences;
  readonly rules: Differences;
  readonly rulesReordered: boolean;
  readonly functions: Differences;
}> {
  const functionParts = ({ functions }: DeploymentContent): Part[] =>
    functions.map(({ name, sha256, size }) => ({ name, mark: sha256, text: `${size} bytes` }));
  const rulesBefore = yield* ruleParts(before.rules);
  const rulesAfter = yield* ruleParts(after.rules);
  return {
    files: yield* compareParts(fileParts(before.files), fileParts(after.files)),
    routes: yield* compareParts(
      routeParts(before.manifest.routes),
      routeParts(after.manifest.routes),
    ),
    rules: yield* compareParts(rulesBefore, rulesAfter),
    rulesReordered: isReordered(rulesBefore, rulesAfter),
    functions: yield* compareParts(functionParts(before), functionParts(after)),
  };
}

/** Compares variables by name. The result contains no values. */
export function* compareVariables(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Steps<Differences> {
  const parts = (values: Readonly<Record<string, string>>): Part[] =>
    Object.entries(values).map(([name, mark]) => ({ name, mark, text: null }));
  return yield* compareParts(parts(before), parts(after));
}

/**
 * Returns the deployment to compare with by default: the one that production serves or, if that is
 * this deployment, the one that production served before.
 */
export const usualBase = (history: readonly string[], id: string): string | undefined =>
  history.findLast((each) => each !== id);
