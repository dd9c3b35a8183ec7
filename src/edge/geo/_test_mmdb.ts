/** @module A minimal MMDB (MaxMind DB format 2.0) with the same record for every IPv4 address. */

type Value = string | number | { readonly [name: string]: Value };

const MAP = 7 << 5;
const STRING = 2 << 5;
const UINT32 = 6 << 5;

function encode(value: Value): number[] {
  if (typeof value === "string") {
    return [STRING | value.length, ...new TextEncoder().encode(value)];
  }
  if (typeof value === "number") {
    return [UINT32 | 4, value >>> 24 & 255, value >>> 16 & 255, value >>> 8 & 255, value & 255];
  }
  const entries = Object.entries(value);
  return [
    MAP | entries.length,
    ...entries.flatMap(([name, part]) => [...encode(name), ...encode(part)]),
  ];
}

/** Builds a database with `record` for every IPv4 address. */
export function mmdbOf(record: { readonly [name: string]: Value }): Uint8Array {
  const nodeCount = 1;
  const pointer = [0, 0, nodeCount + 16];
  return Uint8Array.from([
    ...pointer,
    ...pointer,
    ...new Array<number>(16).fill(0),
    ...encode(record),
    0xab,
    0xcd,
    0xef,
    ...new TextEncoder().encode("MaxMind.com"),
    ...encode({
      node_count: nodeCount,
      record_size: 24,
      ip_version: 4,
      binary_format_major_version: 2,
      binary_format_minor_version: 0,
      build_epoch: 0,
      database_type: "Test",
      description: {},
      languages: {},
    }),
  ]);
}
