/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The background image of title bands. */

/** Draws contour lines, as on a map. */
export function Contours() {
  const lines = Array.from({ length: 13 }, (_, index) => {
    const [rx, ry] = [70 + index * 52, 46 + index * 44];
    return (
      <ellipse cx="470" cy="640" rx={rx} ry={ry} transform={`rotate(${-24 + index * 3} 470 640)`} />
    );
  });
  return (
    <svg
      class="contours"
      viewBox="0 0 600 900"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
    >
      {lines}
    </svg>
  );
}
