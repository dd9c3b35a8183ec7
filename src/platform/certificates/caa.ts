/**
 * Explains why an authority rejected an order, based on CAA records (RFC 8659). These records name
 * the authorities that may issue certificates for a domain.
 *
 * @module
 */

/** Returns values such as `0 issue "letsencrypt.org"`, or `undefined` if the lookup failed. */
export type CaaLookup = (name: string) => Promise<readonly string[] | undefined>;

const parse = (value: string): { readonly tag: string; readonly authority: string } => {
  const [, tag = "", text = ""] = /^\d+ (\S+) "(.*)"$/s.exec(value) ?? [];
  return { tag: tag.toLowerCase(), authority: text.split(";")[0]!.trim().toLowerCase() };
};

/** Finds the records that apply to a domain: those of the nearest name that has any. */
async function findRecords(
  domain: string,
  look: CaaLookup,
): Promise<{ readonly name: string; readonly values: readonly string[] } | undefined> {
  const labels = domain.split(".");
  for (let at = 0; at < labels.length; at++) {
    const name = labels.slice(at).join(".");
    const values = await look(name);
    if (values === undefined) return undefined;
    if (values.length > 0) return { name, values };
  }
  return undefined;
}

/**
 * Explains which CAA records prevent an authority from issuing a certificate, and what to add.
 * Returns `undefined` if none do. `identities` are the authority's names in CAA records.
 */
export async function explainCaa(
  hostname: string,
  { identities, look }: { readonly identities: readonly string[]; readonly look: CaaLookup },
): Promise<string | undefined> {
  const [identity] = identities;
  if (identity === undefined) return undefined;
  const isWildcard = hostname.startsWith("*.");
  const found = await findRecords(isWildcard ? hostname.slice(2) : hostname, look);
  if (found === undefined) return undefined;
  const records = found.values.map(parse);
  const tag = isWildcard && records.some((each) => each.tag === "issuewild")
    ? "issuewild"
    : "issue";
  const allowed = records.filter((each) => each.tag === tag).map(({ authority }) => authority);
  if (allowed.length === 0 || allowed.some((each) => identities.includes(each))) return undefined;
  const others = [...new Set(allowed)].filter((each) => each !== "").join(", ");
  const allow = others === "" ? "no authority" : `only ${others}`;
  return `The CAA records of ${found.name} allow ${allow}, but the platform uses ${identity}. ` +
    `Add the record: ${found.name} CAA 0 ${tag} "${identity}"`;
}
