/** @module Bytes of a blob that lie beside each other. */

export interface ByteRange {
  /** First byte, from 0. */
  readonly start: number;
  /** Last byte, inclusive. */
  readonly end: number;
}

/** The number of bytes in a range. */
export function rangeLength(range: ByteRange): number {
  return range.end - range.start + 1;
}
