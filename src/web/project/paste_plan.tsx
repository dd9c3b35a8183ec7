/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows the variables that a pasted dotenv file would set, and its problems. */
import { Notice } from "../layout/pieces.tsx";

/** The changes that a dotenv file would make to an environment. */
export interface PastePlan {
  readonly problems: readonly string[];
  readonly changes: readonly {
    readonly key: string;
    readonly word: "new" | "changed" | "unchanged" | "replaces a secret";
  }[];
}

export function Plan({ plan }: { readonly plan: PastePlan }) {
  const { problems, changes } = plan;
  return (
    <div class="stack" id="plan">
      {problems.length === 0 ? null : (
        <Notice kind="bad">
          Nothing will be set until you correct these lines:
          <ul>
            {problems.map((problem) => <li key={problem}>{problem}</li>)}
          </ul>
        </Notice>
      )}
      <p>
        {changes.length === 1
          ? "This will set 1 variable:"
          : `This will set ${changes.length} variables:`}
      </p>
      <ul class="stack">
        {changes.map(({ key, word }) => (
          <li key={key}>
            <span class="mono">{key}</span> <span class="tag">{word}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
