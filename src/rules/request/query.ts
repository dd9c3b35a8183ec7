/**
 * @module The query of a rewrite: the parameters of its target, followed by the other parameters of
 * the request.
 */

/** Returns the decoded name of a pair such as `a=1`, or "" for an empty pair. */
function nameOf(pair: string): string {
  const [name = ""] = new URLSearchParams(`?${pair}`).keys();
  return name;
}

/**
 * Merges the query of a rewrite's target with the request's query, both without `?`. The target's
 * query comes first, followed by the request's parameters whose names do not occur in the target's
 * query. All parameters stay as they are written.
 */
export function mergeQueries(own: string, asked: string): string {
  if (own === "" || asked === "") return own === "" ? asked : own;
  const named = new Set(own.split("&").map(nameOf));
  const kept = asked.split("&").filter((pair) => pair !== "" && !named.has(nameOf(pair)));
  return [own, ...kept].join("&");
}
