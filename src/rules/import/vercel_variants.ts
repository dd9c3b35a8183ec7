/**
 * @module Expands entries in `vercel.json` into several entries: `(en|de)` and `:lang(en|de)`
 * become one entry for each word, and `:id?` becomes an entry with the segment and one without it.
 * References to a parameter are replaced by its value.
 */
import { NoEquivalent } from "./import_result.ts";
import { withoutParameters } from "./vercel_target.ts";

export interface Variant {
  readonly source: string;
  /** The destination, or the values of headers. */
  readonly texts: readonly string[];
}

/** Maximum number of rules from one entry. */
const MAX_VARIANTS = 64;

/** Alternatives in all or part of a segment, with or without a name. */
const ALTERNATIVES = /(?::([A-Za-z_]\w*))?\(([\w-]+(?:\|[\w-]+)+)\)(?![*+?])/;
const OPTIONAL = /\/:([A-Za-z_]\w*)\?(?=\/|$)/;
const GROUP = /\(|:[A-Za-z_]/;

const written = (texts: readonly string[], reference: RegExp, value: string): string[] =>
  texts.map((text) => text.replace(reference, () => value));

const named = (name: string): RegExp => new RegExp(`:${name}(?![A-Za-z0-9_])\\??`, "g");

function alternativesOf(variant: Variant): Variant[] | undefined {
  const found = ALTERNATIVES.exec(variant.source);
  if (found === null) return undefined;
  const [whole, name, words = ""] = found;
  const isAlone = !GROUP.test(variant.source.replace(whole, ""));
  if (!isAlone && variant.texts.some((text) => /\$\d/.test(text))) {
    throw new NoEquivalent("svc cannot resolve a numbered reference after (a|b): name the group");
  }
  return words.split("|").map((word) => {
    const texts = written(variant.texts, /\$1/g, word);
    return {
      source: variant.source.replace(whole, () => word),
      texts: name === undefined ? texts : written(texts, named(name), word),
    };
  });
}

function optionsOf(variant: Variant): Variant[] | undefined {
  const found = OPTIONAL.exec(variant.source);
  if (found === null) return undefined;
  const [whole, name = ""] = found;
  const without = variant.source.replace(whole, "");
  return [
    {
      source: without === "" ? "/" : without,
      texts: variant.texts.map((text) => withoutParameters(text, [name])),
    },
    {
      source: variant.source.replace(whole, () => `/:${name}`),
      texts: written(variant.texts, named(name), `:${name}`),
    },
  ];
}

/**
 * Returns the entries that an entry expands to, in order. The result may be only the entry itself.
 */
export function variantsOf(entry: Variant): readonly Variant[] {
  const done: Variant[] = [];
  const open = [entry];
  for (let one = open.shift(); one !== undefined; one = open.shift()) {
    const several = alternativesOf(one) ?? optionsOf(one);
    if (several === undefined) done.push(one);
    else open.unshift(...several);
    if (done.length + open.length > MAX_VARIANTS) {
      throw new NoEquivalent(`The source expands to more than ${MAX_VARIANTS} rules`);
    }
  }
  return done;
}
