/** @module The definition of one kind of condition: everything that rules need to know about it. */
import type * as z from "zod";
import type { PathStep } from "../../lib/diagnostic.ts";
import type { RequestFacts } from "../request/facts.ts";
import type { Finding } from "../finding.ts";
import type { Device, VaryDimension } from "../vocabulary.ts";

/** Why a request does not meet a condition, for `explain`. */
export interface FieldMismatch {
  /** The name in a condition on named values, such as the name of a header. */
  readonly name?: string;
  readonly wanted: string;
  readonly seen: string;
}

/**
 * The parts of a sample request that meet a condition; a later part replaces an earlier part with
 * the same name.
 */
export interface SampleParts {
  readonly method?: string;
  readonly host?: string;
  /** Normalized path. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly ip?: string;
  readonly country?: string;
  readonly asn?: number;
  readonly device?: Device;
}

/** Receives lists of items that can match, each in the order in which its items were added. */
type TakeItems<T> = (items: readonly T[]) => void;

/** An index of items by their conditions, to find the few items that can match a request. */
export interface CandidateIndex<Normal, T> {
  /** Adds an item. Returns false if the value cannot be indexed. */
  add(value: Normal, item: T): boolean;
  /** Reports the lists whose conditions the request can meet. An item can appear twice. */
  visit(facts: RequestFacts, take: TakeItems<T>): void;
}

/**
 * One field of a condition, with its authored form `Raw` and its normal form `Normal`, which is
 * also a valid authored form.
 */
export interface ConditionType<Raw, Normal> {
  readonly schema: z.ZodType<Raw>;
  /** Replaces an invalid list item, so the other items keep their indexes. */
  readonly neutralItem?: unknown;
  /** Relative cost of testing the field; the cheapest fields of a condition are tested first. */
  readonly cost: number;
  /** Whether the result can differ between requests with the same method, host, path and query. */
  readonly isClientBound: boolean;
  /** The dimension that a cache must vary on if a rule has this condition. */
  readonly vary?: VaryDimension;
  /** Reports problems that the schema cannot detect. `path` is the path of the value. */
  check?(value: Raw, path: readonly PathStep[]): Iterable<Finding>;
  /** Returns the normal form. Applying it twice has no further effect. */
  normalize(value: Raw): Normal;
  /**
   * Prepares a value for testing requests.
   *
   * @throws {TypeError} for a value that validation would have rejected.
   */
  compile(value: Normal): (facts: RequestFacts) => boolean;
  /** Explains why a request does not match a value. */
  explain(value: Normal, facts: RequestFacts): FieldMismatch;
  /** Returns parts of a request that match the value, if possible. */
  sample(value: Normal): SampleParts;
  /** Returns true if it is proven that every request that meets `inner` also meets `outer`. */
  contains(outer: Normal, inner: Normal | undefined): boolean;
  /** Returns true if it is proven that no request meets both values. */
  disjoint(a: Normal, b: Normal): boolean;
  /** Set if the field can narrow down the rules with the same host and path. */
  readonly index?: {
    /** How selective the field is. A rule is indexed by its most selective field. */
    readonly selectivity: number;
    create<T>(): CandidateIndex<Normal, T>;
  };
}
