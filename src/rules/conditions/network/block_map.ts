/**
 * @module Stores lists by address block. Finds the lists of all blocks that contain an address, in
 * time proportional to the number of different block sizes (at most 33 for IPv4 and 129 for IPv6).
 */
import type { IpAddress, IpBlock } from "../../request/ip_address.ts";

/** Blocks of one size, numbered in the order of their addresses. */
class SizeMap<N extends number | bigint, T> {
  readonly lists = new Map<N, T[]>();

  constructor(readonly size: N) {}

  add(number: N, value: T): void {
    const list = this.lists.get(number);
    if (list === undefined) this.lists.set(number, [value]);
    else list.push(value);
  }
}

function ofSize<N extends number | bigint, T>(sizes: SizeMap<N, T>[], size: N): SizeMap<N, T> {
  const found = sizes.find((each) => each.size === size);
  if (found !== undefined) return found;
  const added = new SizeMap<N, T>(size);
  sizes.push(added);
  return added;
}

export class BlockMap<T> {
  readonly #four: SizeMap<number, T>[] = [];
  readonly #six: SizeMap<bigint, T>[] = [];

  add(block: IpBlock, value: T): void {
    if (block.family === 4) {
      const size = block.last - block.first + 1;
      ofSize(this.#four, size).add(block.first / size, value);
    } else {
      const size = block.last - block.first + 1n;
      ofSize(this.#six, size).add(block.first / size, value);
    }
  }

  /** Reports the lists of all blocks that contain the address. */
  visit(address: IpAddress, take: (values: readonly T[]) => void): void {
    if (address.family === 4) {
      for (const { size, lists } of this.#four) {
        const list = lists.get(Math.floor(address.value / size));
        if (list !== undefined) take(list);
      }
    } else {
      for (const { size, lists } of this.#six) {
        const list = lists.get(address.value / size);
        if (list !== undefined) take(list);
      }
    }
  }
}
