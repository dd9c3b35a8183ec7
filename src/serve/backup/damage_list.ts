/**
 * Damage found by a full check.
 *
 * @module
 */

/** Damage that is named; more is counted. */
const MOST_NAMED = 100;

/** Maximum number of damaged items in one line. */
const MOST_TOLD = 5;

export class DamageList {
  /** Sentences without a capital or a final stop. */
  readonly named: string[] = [];
  /** The number of further items. */
  more = 0;

  readonly add = (what: string): void => {
    if (this.named.length < MOST_NAMED) this.named.push(what);
    else this.more++;
  };
}

/** The damage in one line. */
export function summariseDamage(
  { damage, more }: { readonly damage: readonly string[]; readonly more: number },
): string {
  const rest = Math.max(0, damage.length - MOST_TOLD) + more;
  return damage.slice(0, MOST_TOLD).join("; ") + (rest > 0 ? `; and ${rest} more` : "");
}
