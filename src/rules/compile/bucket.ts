/**
 * The rules that stand at one place of the index, hence with the same path and
 * host. Where they are many, each is filed under one more thing that it asks for:
 * a header, cookie or query value, a network, a country, a device, or its methods.
 *
 * @module
 */
import type { RequestFacts } from "../facts.ts";
import { METHODS } from "../types.ts";
import { BlockMap } from "./block_map.ts";
import type { CompiledRule } from "./compiled_rule.ts";
import { methodBit } from "./condition.ts";

/** From this many rules on, a bucket files them. */
const FILE_FROM = 4;

/** Receives the lists of candidates; each is in the order of evaluation. */
export type TakeRules = (rules: readonly CompiledRule[]) => void;

/** Rules by a value. */
class Shelf<K> {
  private readonly lists = new Map<K, CompiledRule[]>();

  add(key: K, rule: CompiledRule): void {
    const list = this.lists.get(key);
    if (list === undefined) this.lists.set(key, [rule]);
    else list.push(rule);
  }

  visit(key: K, take: TakeRules): void {
    const list = this.lists.get(key);
    if (list !== undefined) take(list);
  }
}

/** Rules by the value of a header, cookie or query parameter. */
class NamedShelves {
  private readonly byName = new Map<string, Shelf<string>>();

  add([name, value]: readonly [name: string, value: string], rule: CompiledRule): void {
    const shelf = this.byName.get(name) ?? new Shelf();
    this.byName.set(name, shelf);
    shelf.add(value, rule);
  }

  visit(valuesOf: (name: string) => readonly string[], take: TakeRules): void {
    for (const [name, shelf] of this.byName) {
      for (const value of new Set(valuesOf(name))) shelf.visit(value, take);
    }
  }
}

/** The values that a condition on a header may ask for: the whole, and the items of a list. */
function headerValues(value: string | undefined): readonly string[] {
  if (value === undefined) return [];
  return value.includes(",") ? [value, ...value.split(",").map((item) => item.trim())] : [value];
}

/** The rules of a bucket, each filed under one thing that it asks for. */
class Files {
  private headers: NamedShelves | undefined;
  private queries: NamedShelves | undefined;
  private cookies: NamedShelves | undefined;
  private asns: Shelf<number> | undefined;
  private blocks: BlockMap<CompiledRule> | undefined;
  private countries: Shelf<string> | undefined;
  private devices: Shelf<string> | undefined;
  private methods: Shelf<number> | undefined;
  private readonly others: CompiledRule[] = [];

  /** Files a rule under the most telling thing that it asks for. */
  add(rule: CompiledRule): void {
    const { headers, queries, cookies, asns, blocks, countries, device, methods } =
      rule.condition.root;
    const [cookie, query, header] = [cookies?.[0], queries?.[0], headers?.[0]];
    if (cookie !== undefined) (this.cookies ??= new NamedShelves()).add(cookie, rule);
    else if (query !== undefined) (this.queries ??= new NamedShelves()).add(query, rule);
    else if (header !== undefined) (this.headers ??= new NamedShelves()).add(header, rule);
    else if (asns !== undefined) {
      this.asns ??= new Shelf();
      for (const asn of asns) this.asns.add(asn, rule);
    } else if (blocks !== undefined) {
      this.blocks ??= new BlockMap();
      for (const block of blocks.blocks) this.blocks.add(block, rule);
    } else if (countries !== undefined) {
      this.countries ??= new Shelf();
      for (const country of countries) this.countries.add(country, rule);
    } else if (device !== undefined) {
      (this.devices ??= new Shelf()).add(device, rule);
    } else if (methods !== undefined) {
      this.methods ??= new Shelf();
      for (const bit of METHOD_BITS) if ((methods & bit) !== 0) this.methods.add(bit, rule);
    } else {
      this.others.push(rule);
    }
  }

  visit(facts: RequestFacts, take: TakeRules): void {
    if (this.others.length > 0) take(this.others);
    this.methods?.visit(methodBit(facts.method), take);
    this.cookies?.visit((name) => facts.cookie(name), take);
    this.queries?.visit((name) => facts.query(name), take);
    this.headers?.visit((name) => headerValues(facts.header(name)), take);
    if (this.asns !== undefined) this.asns.visit(facts.asn() ?? 0, take);
    if (this.countries !== undefined) this.countries.visit(facts.country() ?? "", take);
    if (this.devices !== undefined) this.devices.visit(facts.device() ?? "", take);
    const ip = this.blocks === undefined ? undefined : facts.ip();
    if (ip !== undefined) this.blocks?.visit(ip, take);
  }
}

const METHOD_BITS = METHODS.map((method) => methodBit(method));

export class Bucket {
  private rules: CompiledRule[] = [];
  private files: Files | undefined;

  add(rule: CompiledRule): void {
    this.rules.push(rule);
  }

  /** Files the rules, where that is worth it; none may be added after. */
  finish(): void {
    if (this.rules.length < FILE_FROM) return;
    this.files = new Files();
    for (const rule of this.rules) this.files.add(rule);
    this.rules = [];
  }

  /** Hands out the lists of rules that may match; a rule may come in several of them. */
  visit(facts: RequestFacts, take: TakeRules): void {
    if (this.files === undefined) take(this.rules);
    else this.files.visit(facts, take);
  }
}
