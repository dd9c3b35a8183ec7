/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module A world map on which countries can be highlighted. */
import world from "./world_map.json" with { type: "json" };

const { shapes, width, height } = world;
const OUTLINES: Readonly<Record<string, string>> = shapes;

const NAMES = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** Returns a country's English name. */
export const countryName = (code: string): string =>
  /^[A-Z]{2}$/.test(code) ? NAMES.of(code) ?? code : "Unknown";

/** A country that is highlighted on the map. */
export interface MarkedCountry {
  readonly code: string;
  /** The country's class in the style sheet. */
  readonly mark: string;
  readonly title: string;
}

/**
 * Shows the map. `label` explains why countries are highlighted. Very small countries have no
 * outline.
 */
export function WorldMap({ countries, label }: {
  readonly countries: readonly MarkedCountry[];
  readonly label: string;
}) {
  const marked = new Set(countries.map(({ code }) => code));
  const land = Object.entries(OUTLINES).filter(([code]) => !marked.has(code));
  const shown = countries.filter(({ code }) => OUTLINES[code] !== undefined);
  return (
    <svg
      class="world"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`World map, ${label}: ${shown.length} shown`}
    >
      <path class="land" d={land.map(([, outline]) => outline).join("")} />
      {shown.map(({ code, mark, title }) => (
        <path key={code} class={mark} d={OUTLINES[code]}>
          <title>{title}</title>
        </path>
      ))}
    </svg>
  );
}
