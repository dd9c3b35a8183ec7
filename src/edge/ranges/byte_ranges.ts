/** @module The `Range` field: which bytes a client requests (RFC 9110, 14). */
export interface ByteRange {
  /** First byte, counted from 0. */
  readonly start: number;
  /** Last byte, inclusive. */
  readonly end: number;
}

export function rangeLength(range: ByteRange): number {
  return range.end - range.start + 1;
}

type RangeRequest =
  /**
   * The value is not a valid `bytes` range or is not allowed, so the response is the whole file.
   */
  | { readonly type: "ignore" }
  /** Valid, but entirely outside the file, so the response is a 416. */
  | { readonly type: "unsatisfiable" }
  /** At least one range, in the order of the request. */
  | { readonly type: "ranges"; readonly ranges: readonly ByteRange[] };

/** Maximum number of ranges to serve. More ranges are an attack (RFC 9110, 17.15). */
const MAX_RANGES = 16;
/**
 * Maximum length of a value to parse, in characters. The limit is enough for 16 ranges of a 1 TiB
 * file.
 */
const MAX_LENGTH = 512;

const IGNORE: RangeRequest = Object.freeze({ type: "ignore" });
const UNSATISFIABLE: RangeRequest = Object.freeze({ type: "unsatisfiable" });
const RANGE_SPEC = /^(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))$/;

/**
 * Parses one range of the file. Returns `null` for a range outside of the file, and `undefined` for
 * a malformed range.
 */
function resolveSpec(spec: string, size: number): ByteRange | null | undefined {
  const parts = RANGE_SPEC.exec(spec);
  if (parts === null) return undefined;
  const [, first, last, suffix] = parts;
  if (first === undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? null : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== "" && Number(last) < start) return undefined;
  return start < size ? { start, end } : null;
}

/** Whether no ranges overlap. Overlaps would let a small request cause a large response. */
function isModest(ranges: readonly ByteRange[]): boolean {
  const sorted = [...ranges].sort((left, right) => left.start - right.start);
  return sorted.every((range, index) => index === 0 || sorted[index - 1]!.end < range.start);
}

export function parseRange(value: string, size: number): RangeRequest {
  if (value.length > MAX_LENGTH || !/^bytes=/i.test(value)) return IGNORE;
  const specs = value.slice("bytes=".length).split(",").map((spec) => spec.trim())
    .filter((spec) => spec !== "");
  if (specs.length === 0 || specs.length > MAX_RANGES) return IGNORE;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const range = resolveSpec(spec, size);
    if (range === undefined) return IGNORE;
    if (range !== null) ranges.push(range);
  }
  if (ranges.length === 0) return UNSATISFIABLE;
  return isModest(ranges) ? { type: "ranges", ranges } : IGNORE;
}
