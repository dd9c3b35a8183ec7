/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows the lines that differ between two strings, with some context lines. */
import { type DiffLine, diffLines } from "../../lib/line_diff.ts";

/** Number of unchanged lines to show before and after a change. */
const AROUND = 3;

/** Returns the lines near changes; `undefined` marks omitted lines. */
function nearChanges(lines: readonly DiffLine[]): (DiffLine | undefined)[] {
  const near = new Set<number>();
  lines.forEach(({ type }, index) => {
    if (type === "same") return;
    for (let at = index - AROUND; at <= index + AROUND; at++) near.add(at);
  });
  return lines.flatMap((line, index) =>
    near.has(index) ? [line] : near.has(index - 1) ? [undefined] : []
  );
}

const SIGNS = { same: " ", removed: "-", added: "+" } as const;

/** Shows the lines that differ between two strings. */
export function Diff({ from, to, label }: {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}) {
  const lines = nearChanges(diffLines(from, to));
  if (lines.length === 0) return <p class="hint">There are no differences.</p>;
  return (
    <pre class="diff" tabindex={0} role="region" aria-label={label}>
      {lines.map((line, index) =>
        line === undefined
          ? <span key={index} class="soft">…</span>
          : <span key={index} class={line.type}>{`${SIGNS[line.type]} ${line.text}\n`}</span>
      )}
    </pre>
  );
}
