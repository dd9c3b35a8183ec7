/**
 * The damage that a full check has found.
 *
 * @module
 */

/** Maximum number of damaged items to list. Further items are only counted. */
const MOST_NAMED = 100;

/** Maximum number of damaged items in the one-line summary. */
const MOST_TOLD = 5;

export class DamageList {
  /** Descriptions of damaged items, without an initial capital or a final period. */
  readonly named: string[] = [];
  /** Number of damaged items that are not listed. */
  more = 0;

  readonly add = (what: string): void => {
    if (this.named.length < MOST_NAMED) this.named.push(what);
    else this.more++;
  };
}

/** Summarizes the damage in one line. */
export function summarizeDamage(
  { damage, more }: { readonly damage: readonly string[]; readonly more: number },
): string {
  const rest = Math.max(0, damage.length - MOST_TOLD) + more;
  return damage.slice(0, MOST_TOLD).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}
