/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * A value of a database: null, an empty text and a cut value look different from all texts.
 *
 * @module
 */

/** Shows a value; of one that is longer than `length`, as much. */
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
      <span class="tag" title="Only the beginning of the value is shown">… cut</span>
    </>
  );
}
