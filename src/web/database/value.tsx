/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * @module Shows a database value, so that null, empty and shortened values look different.
 */

/** Shows a value, shortened to `length`. */
export function Value({ value, length = Infinity }: {
  readonly value: string | null;
  readonly length?: number;
}) {
  if (value === null) return <span class="tag">null</span>;
  if (value === "") return <span class="tag">empty</span>;
  if (value.length <= length) return <>{value}</>;
  return (
    <>
      {value.slice(0, length)}
      <span class="tag" title="Only the beginning of this value is shown">… cut</span>
    </>
  );
}
