/**
 * @module Client addresses, and the blocks that they are compared with. In addresses and blocks, an
 * IPv4-mapped IPv6 address (`::ffff:10.0.0.1`, RFC 4291 2.5.5.2) counts as the IPv4 address that it
 * contains. Otherwise, the two families never match: `::/0` contains no IPv4 client.
 */
import ipaddr from "ipaddr.js";

/** An IPv4 address as an unsigned 32-bit number, or an IPv6 address as a 128-bit number. */
export type IpAddress =
  | { readonly family: 4; readonly value: number }
  | { readonly family: 6; readonly value: bigint };

/** The addresses from `first` to `last`, inclusive. */
export type IpBlock =
  | { readonly family: 4; readonly first: number; readonly last: number }
  | { readonly family: 6; readonly first: bigint; readonly last: bigint };

const MAPPED_BITS = 96;

function toNumber(bytes: readonly number[]): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

function toBigInt(bytes: readonly number[]): bigint {
  return bytes.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n);
}

/**
 * Parses an address with four decimal parts, or an IPv6 address in any spelling (a zone such as
 * `%eth0` is ignored). Returns `undefined` for anything else, including the short, octal and
 * hexadecimal forms of IPv4.
 */
export function parseIp(text: string): IpAddress | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    return { family: 4, value: toNumber(ipaddr.IPv4.parse(text).octets) };
  }
  if (!text.includes(":") || !ipaddr.IPv6.isValid(text)) return undefined;
  const address = ipaddr.IPv6.parse(text);
  const bytes = address.toByteArray();
  return address.isIPv4MappedAddress()
    ? { family: 4, value: toNumber(bytes.slice(12)) }
    : { family: 6, value: toBigInt(bytes) };
}

/** Writes an address in its usual form: for IPv6, as in RFC 5952. */
export function formatIp(address: IpAddress): string {
  const bytes = [];
  let rest = BigInt(address.value);
  for (let count = 0; count < (address.family === 4 ? 4 : 16); count++) {
    bytes.unshift(Number(rest & 0xffn));
    rest >>= 8n;
  }
  return ipaddr.fromByteArray(bytes).toString();
}

function blockOf(address: IpAddress, bits: number): IpBlock {
  if (address.family === 4) {
    const size = 2 ** (32 - bits);
    const first = Math.floor(address.value / size) * size;
    return { family: 4, first, last: first + size - 1 };
  }
  const size = 1n << BigInt(128 - bits);
  const first = (address.value / size) * size;
  return { family: 6, first, last: first + size - 1n };
}

/** Parses `address/bits`, or a single address; bits beyond the mask are ignored. */
export function parseCidr(text: string): IpBlock | undefined {
  const [addressText = "", bitsText, ...more] = text.split("/");
  const address = parseIp(addressText);
  if (address === undefined || more.length > 0) return undefined;
  const isMapped = address.family === 4 && addressText.includes(":");
  const most = addressText.includes(":") ? 128 : 32;
  if (bitsText === undefined) return blockOf(address, address.family === 4 ? 32 : 128);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(bitsText) || Number(bitsText) > most) return undefined;
  const bits = Number(bitsText);
  if (!isMapped) return blockOf(address, bits);
  if (bits >= MAPPED_BITS) return blockOf(address, bits - MAPPED_BITS);
  const mapped = (0xffffn << 32n) | BigInt(address.value);
  return blockOf({ family: 6, value: mapped }, bits);
}

/** Sorts ranges and joins those that overlap. */
function join<N extends number | bigint>(
  ranges: readonly { readonly first: N; readonly last: N }[],
): { readonly firsts: N[]; readonly lasts: N[] } {
  const firsts: N[] = [];
  const lasts: N[] = [];
  for (const { first, last } of [...ranges].sort((a, b) => a.first < b.first ? -1 : 1)) {
    const previous = lasts.at(-1);
    if (previous === undefined || first > previous) {
      firsts.push(first);
      lasts.push(last);
    } else if (last > previous) {
      lasts[lasts.length - 1] = last;
    }
  }
  return { firsts, lasts };
}

/** Returns the index of the last range that begins at or before the value, or -1. */
function findRange<N extends number | bigint>(firsts: ArrayLike<N>, value: N): number {
  let low = 0;
  let high = firsts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const first = firsts[middle];
    if (first !== undefined && first <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Address blocks as sorted ranges, for lookups in logarithmic time. */
export class IpBlockSet {
  readonly #firsts4: Uint32Array;
  readonly #lasts4: Uint32Array;
  readonly #firsts6: readonly bigint[];
  readonly #lasts6: readonly bigint[];

  /** Keeps `blocks` available in their original form. */
  constructor(readonly blocks: readonly IpBlock[]) {
    const four = join(blocks.flatMap((block) => block.family === 4 ? [block] : []));
    const six = join(blocks.flatMap((block) => block.family === 6 ? [block] : []));
    this.#firsts4 = Uint32Array.from(four.firsts);
    this.#lasts4 = Uint32Array.from(four.lasts);
    this.#firsts6 = six.firsts;
    this.#lasts6 = six.lasts;
  }

  has(address: IpAddress): boolean {
    if (address.family === 4) {
      const index = findRange(this.#firsts4, address.value);
      return index >= 0 && address.value <= (this.#lasts4[index] ?? -1);
    }
    const index = findRange(this.#firsts6, address.value);
    return index >= 0 && address.value <= (this.#lasts6[index] ?? -1n);
  }
}
