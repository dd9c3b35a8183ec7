/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The form that selects the environment that a page shows. */
import { SelectField } from "../layout/board_pieces.tsx";

export function EnvironmentForm({ path, environments, chosen }: {
  readonly path: string;
  readonly environments: readonly string[];
  readonly chosen: string;
}) {
  return (
    <form method="get" action={path} class="line-form">
      <SelectField label="Environment" name="environment" values={environments} chosen={chosen} />
      <button class="quiet" type="submit">Show</button>
    </form>
  );
}
