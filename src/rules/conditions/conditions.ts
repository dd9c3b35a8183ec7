/**
 * @module Every kind of condition, by its field. A new condition needs one file, and one line here.
 */
import { asn } from "./asn.ts";
import type { ConditionType } from "./condition_type.ts";
import { cookies } from "./cookies.ts";
import { device } from "./device.ts";
import { geo } from "./geo.ts";
import { headers } from "./headers.ts";
import { host } from "./host.ts";
import { methods } from "./methods.ts";
import { path } from "./path.ts";
import { query } from "./query.ts";
import { sourceIpCidrs } from "./source_ip_cidrs.ts";

const TABLE = {
  path,
  methods,
  host,
  headers,
  query,
  cookies,
  geo,
  asn,
  device,
  sourceIpCidrs,
} as const;

export type ConditionName = keyof typeof TABLE;

/** The authored form of each field. */
export type RawConditions = {
  readonly [F in ConditionName]: (typeof TABLE)[F] extends ConditionType<infer Raw, infer _> ? Raw
    : never;
};

/** The normal form of each field. */
export type NormalConditions = {
  readonly [F in ConditionName]: (typeof TABLE)[F] extends ConditionType<infer _, infer Normal>
    ? Normal
    : never;
};

export const CONDITIONS: {
  readonly [F in ConditionName]: ConditionType<RawConditions[F], NormalConditions[F]>;
} = TABLE;

/** All fields. */
export const CONDITION_NAMES = Object.keys(TABLE) as readonly ConditionName[];

/** All fields, starting with the cheapest to test. */
export const BY_COST: readonly ConditionName[] = CONDITION_NAMES.toSorted(
  (a, b) => CONDITIONS[a].cost - CONDITIONS[b].cost,
);

/** Fields that rules can be indexed by, starting with the most selective. */
export const BY_SELECTIVITY: readonly ConditionName[] = CONDITION_NAMES
  .filter((name) => CONDITIONS[name].index !== undefined)
  .toSorted((a, b) =>
    (CONDITIONS[b].index?.selectivity ?? 0) - (CONDITIONS[a].index?.selectivity ?? 0)
  );
