/**
 * Networks as sets of addresses, in their canonical spelling.
 *
 * @module
 */
import ipaddr from "ipaddr.js";

type Network = ReturnType<typeof ipaddr.parseCIDR>;

function holds([outer, outerBits]: Network, [inner, innerBits]: Network): boolean {
  if (outer instanceof ipaddr.IPv4) {
    return inner instanceof ipaddr.IPv4 && innerBits >= outerBits && inner.match(outer, outerBits);
  }
  return inner instanceof ipaddr.IPv6 && innerBits >= outerBits && inner.match(outer, outerBits);
}

/** True where every network of `inner` lies within one of `outer`. */
export function networksContain(outer: readonly string[], inner: readonly string[]): boolean {
  const outers = outer.map((text) => ipaddr.parseCIDR(text));
  return inner.map((text) => ipaddr.parseCIDR(text))
    .every((one) => outers.some((other) => holds(other, one)));
}

/** True where no address is in both lists: of two networks that meet, one holds the other. */
export function networksDisjoint(a: readonly string[], b: readonly string[]): boolean {
  const others = b.map((text) => ipaddr.parseCIDR(text));
  return a.map((text) => ipaddr.parseCIDR(text))
    .every((one) => others.every((other) => !holds(one, other) && !holds(other, one)));
}
