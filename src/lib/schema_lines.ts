/** @module The differences between two schemas, as human-readable lines. */
import { formatCount, printable } from "./format.ts";

/** Maximum number of differences that are listed. */
const MAX_LISTED = 20;

const MARKS = { added: "+", removed: "-", changed: "~" } as const;

interface Difference {
  readonly branch: string;
  readonly changes: readonly {
    readonly change: keyof typeof MARKS;
    readonly kind: string;
    readonly name: string;
  }[];
  readonly total: number;
}

/**
 * Returns a title with the number of differences from `main`, and a line for each of the first
 * differences. Returns `undefined` if there are none.
 */
export function schemaLines(
  difference: Difference | undefined,
): { readonly title: string; readonly lines: readonly string[] } | undefined {
  if (difference === undefined || difference.total === 0) return undefined;
  const { branch, changes, total } = difference;
  const listed = changes.slice(0, MAX_LISTED);
  const more = total - listed.length;
  return {
    title: `${formatCount(total, "difference")} of the database schema from main to ${
      printable(branch)
    }`,
    lines: [
      ...listed.map(({ change, kind, name }) => `${MARKS[change]} ${kind} ${printable(name)}`),
      ...(more > 0 ? [`and ${more} more: svc db diff ${printable(branch)}`] : []),
    ],
  };
}
