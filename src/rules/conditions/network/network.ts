/**
 * @module Networks in a canonical form: `10.0.0.0/8`, `2001:db8::/32`. IPv4 addresses in IPv6
 * notation (`::ffff:10.0.0.0/104`) become IPv4.
 */
import ipaddr from "ipaddr.js";

type NetworkResult =
  | { readonly network: string }
  /** Text that completes "Use an IPv4 or IPv6 network: …". */
  | { readonly problem: string };

const IPV4 = /^(?:(?:0|[1-9][0-9]{0,2})\.){3}(?:0|[1-9][0-9]{0,2})$/;
const IPV6 = /^[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*$/;
const PREFIX = /^(?:0|[1-9][0-9]{0,2})$/;
const MAPPED_BITS = 96;

function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (IPV4.test(text) && ipaddr.IPv4.isValid(text)) return ipaddr.IPv4.parse(text);
  if (IPV6.test(text) && ipaddr.IPv6.isValid(text)) return ipaddr.IPv6.parse(text);
  return undefined;
}

function masked(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const bytes = address.toByteArray().map((byte, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8));
    return byte & (0xff00 >> kept) & 0xff;
  });
  const network = ipaddr.fromByteArray(bytes);
  const text = network instanceof ipaddr.IPv6 ? network.toRFC5952String() : network.toString();
  return `${text}/${bits}`;
}

/**
 * Returns a network with its host bits cleared, or the reason why the text is not a network. A
 * single address is a network with one address. Applying it twice has no further effect.
 */
export function canonicalNetwork(text: string): NetworkResult {
  const slash = text.indexOf("/");
  const address = parseAddress(slash < 0 ? text : text.slice(0, slash));
  if (address === undefined) return { problem: "the address is invalid" };
  const width = address.toByteArray().length * 8;
  const prefix = slash < 0 ? String(width) : text.slice(slash + 1);
  if (!PREFIX.test(prefix) || Number(prefix) > width) {
    return { problem: `the length after the slash must be 0 to ${width}` };
  }
  const bits = Number(prefix);
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= MAPPED_BITS) {
    return { network: masked(address.toIPv4Address(), bits - MAPPED_BITS) };
  }
  return { network: masked(address, bits) };
}

/** Returns the canonical spelling of a valid network, or any other text unchanged. */
export function networkOrSame(text: string): string {
  const result = canonicalNetwork(text);
  return "network" in result ? result.network : text;
}
