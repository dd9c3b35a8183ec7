/**
 * Networks as sets of addresses, in their canonical spelling.
 *
 * @module
 */
import ipaddr from "ipaddr.js";

type Network = ReturnType<typeof ipaddr.parseCIDR>;

const parsed = new WeakMap<readonly string[], readonly Network[]>();

/** Parses a list, once for each: rules are compared with many others. */
function networksOf(list: readonly string[]): readonly Network[] {
  let networks = parsed.get(list);
  if (networks === undefined) {
    parsed.set(list, networks = list.map((text) => ipaddr.parseCIDR(text)));
  }
  return networks;
}

function holds([outer, outerBits]: Network, [inner, innerBits]: Network): boolean {
  if (outer instanceof ipaddr.IPv4) {
    return inner instanceof ipaddr.IPv4 && innerBits >= outerBits && inner.match(outer, outerBits);
  }
  return inner instanceof ipaddr.IPv6 && innerBits >= outerBits && inner.match(outer, outerBits);
}

/** True if every network of `inner` lies within one of `outer`. */
export function networksContain(outer: readonly string[], inner: readonly string[]): boolean {
  const outers = networksOf(outer);
  return networksOf(inner)
    .every((one) => outers.some((other) => holds(other, one)));
}

/** True if no address is in both lists: of two networks that meet, one holds the other. */
export function networksDisjoint(a: readonly string[], b: readonly string[]): boolean {
  const others = networksOf(b);
  return networksOf(a)
    .every((one) => others.every((other) => !holds(one, other) && !holds(other, one)));
}
