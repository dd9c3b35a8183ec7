/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The form that selects a part of a store: an environment and a key prefix. */
import { SelectField } from "../layout/board_pieces.tsx";

/** Returns the URL for a part of a store, without empty parameters. */
export function pathWith(path: string, given: Readonly<Record<string, string | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(given)) if (value) query.set(name, value);
  return query.size === 0 ? path : `${path}?${query}`;
}

export function StoreFilters({ path, list, also, environment, prefix, environments, maxlength }: {
  readonly path: string;
  /** ID of the element that shows the selected part. */
  readonly list: string;
  /** Selectors for other elements that depend on the selected part. */
  readonly also: string;
  readonly environment: string;
  readonly prefix: string;
  readonly environments: readonly string[];
  /** Maximum length of a prefix, in characters. */
  readonly maxlength: number;
}) {
  return (
    <form
      method="get"
      action={path}
      class="line-form"
      hx-get={path}
      hx-target={`#${list}`}
      hx-select={`#${list}`}
      hx-select-oob={also}
      hx-swap="outerHTML"
      hx-trigger="input changed delay:300ms from:#prefix, change from:#environment, submit"
      hx-push-url="true"
    >
      <SelectField
        label="Environment"
        name="environment"
        values={environments}
        chosen={environment}
      />
      <div class="field">
        <label for="prefix">Key prefix</label>
        <input
          id="prefix"
          name="prefix"
          type="search"
          maxlength={maxlength}
          value={prefix}
          autocomplete="off"
          spellcheck={false}
        />
      </div>
      <button class="quiet" type="submit">Show</button>
    </form>
  );
}
