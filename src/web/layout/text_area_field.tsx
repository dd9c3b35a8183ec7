/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
import type { FormState } from "./form.ts";

export function TextAreaField({ label, name, state, hint, isSecret = false }: {
  readonly label: string;
  readonly name: string;
  readonly state: FormState;
  readonly hint: string;
  /** True if the entered text must never be sent back to the browser. */
  readonly isSecret?: boolean;
}) {
  const wrong = state.problems[name];
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <textarea
        id={name}
        name={name}
        rows={5}
        autocomplete="off"
        spellcheck={false}
        autofocus={wrong !== undefined}
        aria-invalid={wrong ? "true" : undefined}
        aria-describedby={wrong ? `${name}-wrong ${name}-hint` : `${name}-hint`}
      >
        {isSecret ? "" : state.values[name] ?? ""}
      </textarea>
      {wrong ? <p class="wrong" id={`${name}-wrong`}>{wrong}</p> : null}
      <p class="hint" id={`${name}-hint`}>{hint}</p>
    </div>
  );
}
