/**
 * What can be proven about the sets of requests that two conditions match.
 * Every answer `true` is a proof; `false` means "not proven".
 *
 * @module
 */
import type { LeafCondition, RuntimeCondition, RuntimeLeaf } from "../types.ts";
import { networksContain, networksDisjoint } from "./network_sets.ts";
import { pathContains, pathsDisjoint, type PathSet, pathSetOf } from "./path_sets.ts";

/** Lists whose lengths multiply to more than this are not compared. */
const MAX_COMPARISONS = 4_096;

interface LeafSet {
  readonly leaf: RuntimeLeaf;
  readonly path: PathSet;
}

/** A condition, prepared for comparison. */
export interface ConditionSet extends LeafSet {
  readonly any: readonly LeafSet[] | undefined;
  readonly not: LeafSet | undefined;
  /** True where only path and host decide. */
  readonly isPlain: boolean;
}

const leafSetOf = (leaf: RuntimeLeaf): LeafSet => ({ leaf, path: pathSetOf(leaf.path) });

/** Prepares a normalized condition. */
export function conditionSetOf(condition: RuntimeCondition): ConditionSet {
  const { any, not, ...leaf } = condition;
  return {
    ...leafSetOf(leaf),
    any: any?.map(leafSetOf),
    not: not && leafSetOf(not),
    isPlain: Object.keys(condition).every((field) => field === "path" || field === "host"),
  };
}

type Values = readonly (string | number)[];
type Texts = Readonly<Record<string, string>>;

const comparable = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length * b.length <= MAX_COMPARISONS;

function listContains(outer: Values | undefined, inner: Values | undefined): boolean {
  if (outer === undefined) return true;
  return inner !== undefined && inner.length > 0 && comparable(outer, inner) &&
    inner.every((value) => outer.includes(value));
}

function listsDisjoint(a: Values | undefined, b: Values | undefined): boolean {
  return a !== undefined && b !== undefined && a.length > 0 && b.length > 0 &&
    comparable(a, b) && !a.some((value) => b.includes(value));
}

function textsContain(outer: Texts | undefined, inner: Texts | undefined): boolean {
  return Object.entries(outer ?? {}).every(([name, value]) =>
    inner !== undefined && Object.hasOwn(inner, name) && inner[name] === value
  );
}

function networksAre(
  relation: (a: readonly string[], b: readonly string[]) => boolean,
  a: LeafCondition,
  b: LeafCondition,
): boolean {
  const [left, right] = [a.sourceIpCidrs, b.sourceIpCidrs];
  return left !== undefined && right !== undefined && left.length > 0 && right.length > 0 &&
    comparable(left, right) && relation(left, right);
}

function leafContains(outer: LeafSet, inner: LeafSet): boolean {
  const [a, b] = [outer.leaf, inner.leaf];
  return (a.host === undefined || a.host === b.host) &&
    (a.device === undefined || a.device === b.device) &&
    pathContains(outer.path, inner.path) &&
    listContains(a.methods, b.methods) &&
    listContains(a.geo, b.geo) &&
    listContains(a.asn, b.asn) &&
    textsContain(a.headers, b.headers) &&
    textsContain(a.query, b.query) &&
    textsContain(a.cookies, b.cookies) &&
    (a.sourceIpCidrs === undefined || networksAre(networksContain, a, b));
}

const differ = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b;

/** True where path or host keep the two apart. */
export function placesDisjoint(a: LeafSet, b: LeafSet): boolean {
  return differ(a.leaf.host, b.leaf.host) || pathsDisjoint(a.path, b.path);
}

/** A request has one method, country, network, device and address, but any number of headers. */
function leavesDisjoint(a: LeafSet, b: LeafSet): boolean {
  return placesDisjoint(a, b) ||
    differ(a.leaf.device, b.leaf.device) ||
    listsDisjoint(a.leaf.methods, b.leaf.methods) ||
    listsDisjoint(a.leaf.geo, b.leaf.geo) ||
    listsDisjoint(a.leaf.asn, b.leaf.asn) ||
    networksAre(networksDisjoint, a.leaf, b.leaf);
}

function anyContains(outer: ConditionSet, inner: ConditionSet): boolean {
  const items = outer.any;
  if (items === undefined || items.some((item) => leafContains(item, inner))) return true;
  return inner.any !== undefined && comparable(items, inner.any) &&
    inner.any.every((one) => items.some((item) => leafContains(item, one)));
}

function notContains(outer: ConditionSet, inner: ConditionSet): boolean {
  if (outer.not === undefined || leavesDisjoint(outer.not, inner)) return true;
  return inner.not !== undefined && leafContains(inner.not, outer.not);
}

/** True where every request of `inner` is proven to be in `outer`. */
export function conditionContains(outer: ConditionSet, inner: ConditionSet): boolean {
  return leafContains(outer, inner) && anyContains(outer, inner) && notContains(outer, inner);
}

/** True where no request is in both, as far as that is proven. */
export function conditionsDisjoint(a: ConditionSet, b: ConditionSet): boolean {
  if (leavesDisjoint(a, b)) return true;
  if (a.not !== undefined && leafContains(a.not, b)) return true;
  if (b.not !== undefined && leafContains(b.not, a)) return true;
  return a.any?.every((item) => leavesDisjoint(item, b)) === true ||
    b.any?.every((item) => leavesDisjoint(item, a)) === true;
}
