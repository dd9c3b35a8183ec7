/**
 * @module Decides which addresses belong to the public internet, and which are private, local or
 * reserved (IANA special-purpose registries, RFC 6890). This module has no dependencies, because it
 * also runs in servers' processes.
 */

/** All IPv4 ranges that are not public. */
const PRIVATE_RANGES: readonly string[] = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
];

/**
 * IPv6 ranges that are not public. All other global unicast addresses are public (RFC 4291, 2.4).
 */
const GLOBAL_UNICAST = "2000::/3";
const CLOSED_V6 = ["2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20"];

interface Range {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/** Returns the 4 or 16 bytes of an address in its usual notation, or `undefined` for other text. */
export function addressBytes(text: string): Uint8Array | undefined {
  if (!text.includes(":")) {
    const parts = text.split(".");
    if (parts.length !== 4 || !parts.every((part) => /^\d{1,3}$/.test(part))) return undefined;
    const numbers = parts.map(Number);
    return numbers.some((number) => number > 255) ? undefined : Uint8Array.from(numbers);
  }
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const groups = (half: string): string[] => half === "" ? [] : half.split(":");
  const [head = [], tail = []] = halves.map(groups);
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const all = [...head, ...Array<string>(missing).fill("0"), ...tail];
  if (!all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const numbers = all.map((group) => Number.parseInt(group, 16));
  return Uint8Array.from(numbers.flatMap((number) => [number >> 8, number & 255]));
}

function readRange(text: string): Range {
  const [address = "", bits = ""] = text.split("/");
  return { bytes: addressBytes(address)!, bits: Number(bits) };
}

const CLOSED_RANGES_V4 = PRIVATE_RANGES.map(readRange);
const OPEN_RANGE_V6 = readRange(GLOBAL_UNICAST);
const CLOSED_RANGES_V6 = CLOSED_V6.map(readRange);

function within(address: Uint8Array, { bytes, bits }: Range): boolean {
  for (let bit = 0; bit < bits; bit += 8) {
    const mask = bits - bit >= 8 ? 255 : 255 << 8 - (bits - bit) & 255;
    if ((address[bit >> 3]! & mask) !== (bytes[bit >> 3]! & mask)) return false;
  }
  return true;
}

/** Returns true for 4 or 16 bytes that are an address on the public internet. */
export function isPublic(address: Uint8Array): boolean {
  return address.byteLength === 4
    ? !CLOSED_RANGES_V4.some((range) => within(address, range))
    : within(address, OPEN_RANGE_V6) && !CLOSED_RANGES_V6.some((range) => within(address, range));
}

/** 127.128.0.0/9: loopback addresses, two for each program that runs as a server. */
const SERVERS = [127, 128] as const;

/** Returns a server's two loopback addresses, by the ID of the process that supervises it. */
export function serverAddresses(pid: number): readonly [Uint8Array, Uint8Array] {
  const address = (which: number): Uint8Array => {
    const number = (pid * 2 + which) % 2 ** 23;
    return Uint8Array.of(SERVERS[0], SERVERS[1] | number >> 16, number >> 8 & 255, number & 255);
  };
  return [address(0), address(1)];
}

/**
 * Returns true for an address reserved for a server, regardless of other access to this machine.
 */
export function isServerAddress(address: Uint8Array): boolean {
  return address.byteLength === 4 && address[0] === SERVERS[0] && address[1]! >= SERVERS[1];
}
