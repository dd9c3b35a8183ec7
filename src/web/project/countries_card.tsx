/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * Requests by country, on a map of the world and as a list.
 *
 * @module
 */
import type { CountedValue } from "../../contract/traffic.ts";
import { Card } from "../layout/pieces.tsx";
import { Shares } from "../layout/plots.tsx";
import world from "./world_map.json" with { type: "json" };

const { shapes, width, height } = world;
const OUTLINES: Readonly<Record<string, string>> = shapes;
/** Shades of a country, from few requests to most. */
const SHADES = 4;

const NAMES = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** The English name of a country, by its code. */
export const countryName = (code: string): string =>
  /^[A-Z]{2}$/.test(code) ? NAMES.of(code) ?? code : "Unknown";

/** The shade of a count, 1 to `SHADES`: each stands for several times as many requests. */
export function shadeOf(count: number, most: number): number {
  if (count >= most) return SHADES;
  return 1 + Math.floor((SHADES - 1) * Math.log(Math.max(1, count)) / Math.log(most));
}

function WorldMap({ countries }: { readonly countries: readonly CountedValue[] }) {
  const counted = new Map(countries.map(({ value, count }) => [value, count]));
  const most = Math.max(1, ...counted.values());
  const land = Object.entries(OUTLINES).filter(([code]) => !counted.has(code));
  const shown = countries.filter(({ value }) => OUTLINES[value] !== undefined);
  return (
    <svg
      class="world"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={`Map of the world, requests by country: ${shown.length} shown`}
    >
      <path class="land" d={land.map(([, outline]) => outline).join("")} />
      {shown.map(({ value, count }) => (
        <path key={value} class={`shade-${shadeOf(count, most)}`} d={OUTLINES[value]}>
          <title>{`${countryName(value)}: ${count.toLocaleString("en-US")} requests`}</title>
        </path>
      ))}
    </svg>
  );
}

export function CountriesCard({ countries }: { readonly countries: readonly CountedValue[] }) {
  const known = countries.filter(({ value }) => value !== "unknown");
  return (
    <Card
      title="Countries"
      lead={countries.length === 0 ? "No requests yet." : "Requests without bots"}
      id="countries"
    >
      {countries.length === 0 ? null : (
        <div class={known.length === 0 ? undefined : "map-and-list"}>
          {known.length === 0 ? null : <WorldMap countries={known} />}
          <Shares items={countries.map((each) => ({ ...each, value: countryName(each.value) }))} />
        </div>
      )}
    </Card>
  );
}
