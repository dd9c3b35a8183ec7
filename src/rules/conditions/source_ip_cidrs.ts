/** @module The `sourceIpCidrs` condition: the client's address is in any of these networks. */
import { describeValue } from "../../lib/describe_value.ts";
import { errorAt } from "../finding.ts";
import { formatIp, type IpBlock, IpBlockSet, parseCidr } from "../request/ip_address.ts";
import { list, text } from "../schema_parts.ts";
import type { CandidateIndex, ConditionType } from "./condition_type.ts";
import { comparable, describeList, unique } from "./lists.ts";
import { BlockMap } from "./network/block_map.ts";
import { canonicalNetwork, networkOrSame } from "./network/network.ts";
import ipaddr from "ipaddr.js";

type Network = ReturnType<typeof ipaddr.parseCIDR>;

const parsed = new WeakMap<readonly string[], readonly Network[]>();

/** Parses each list only once, because each rule is compared with many other rules. */
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

/** Returns true if every network of `inner` is within one of `outer`. */
function networksContain(outer: readonly string[], inner: readonly string[]): boolean {
  const outers = networksOf(outer);
  return networksOf(inner)
    .every((one) => outers.some((other) => holds(other, one)));
}

/**
 * Returns true if no address is in both lists. If two networks overlap, one of them contains the
 * other.
 */
function networksDisjoint(a: readonly string[], b: readonly string[]): boolean {
  const others = networksOf(b);
  return networksOf(a)
    .every((one) => others.every((other) => !holds(one, other) && !holds(other, one)));
}

type Networks = readonly string[];

function blockOf(cidr: string): IpBlock {
  const block = parseCidr(cidr);
  if (block === undefined) throw new TypeError(`Cannot compile address block "${cidr}"`);
  return block;
}

function createIndex<T>(): CandidateIndex<Networks, T> {
  const map = new BlockMap<T>();
  return {
    add(value, item) {
      for (const cidr of value) map.add(blockOf(cidr), item);
      return true;
    },
    visit(facts, take) {
      const ip = facts.ip();
      if (ip !== undefined) map.visit(ip, take);
    },
  };
}

const bothListed = (a: Networks, b: Networks): boolean =>
  a.length > 0 && b.length > 0 && comparable(a, b);

export const sourceIpCidrs: ConditionType<Networks, Networks> = {
  schema: list(text()).describe("One of these networks, IPv4 or IPv6"),
  neutralItem: "::/0",
  cost: 7,
  isClientBound: true,
  *check(value, path) {
    for (const [index, written] of value.entries()) {
      const result = canonicalNetwork(written);
      if ("network" in result) continue;
      yield errorAt([...path, index], {
        code: "bad_network",
        message: `Use an IPv4 or IPv6 network: it is ${describeValue(written)} (${result.problem})`,
        hint: "Write 203.0.113.0/24, 2001:db8::/32 or a single address",
      });
    }
  },
  normalize: (value) => unique(value.map(networkOrSame)),
  compile(value) {
    const blocks = new IpBlockSet(value.map(blockOf));
    return (facts) => {
      const ip = facts.ip();
      return ip !== undefined && blocks.has(ip);
    };
  },
  explain(value, facts) {
    const ip = facts.ip();
    return { wanted: describeList(value), seen: ip === undefined ? "unknown" : formatIp(ip) };
  },
  sample: ([network]) => network === undefined ? {} : { ip: network.replace(/\/.*$/, "") },
  contains: (outer, inner) =>
    inner !== undefined && bothListed(outer, inner) && networksContain(outer, inner),
  disjoint: (a, b) => bothListed(a, b) && networksDisjoint(a, b),
  index: { selectivity: 4, create: createIndex },
};
