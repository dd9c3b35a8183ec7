/** @module The query of a rewrite: that of its target, then the rest of the request's. */

/** The decoded name of a pair such as `a=1`; "" for an empty pair. */
function nameOf(pair: string): string {
  const [name = ""] = new URLSearchParams(`?${pair}`).keys();
  return name;
}

/**
 * Merges the query of a rewrite's target with that of the request, both without `?`. The target's
 * comes first, unchanged; then parameters of the request, unchanged, unless the target has the same
 * name.
 */
export function mergeQueries(own: string, asked: string): string {
  if (own === "" || asked === "") return own === "" ? asked : own;
  const named = new Set(own.split("&").map(nameOf));
  const kept = asked.split("&").filter((pair) => pair !== "" && !named.has(nameOf(pair)));
  return [own, ...kept].join("&");
}
