/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows requests by country, on a world map and as a list. */
import type { CountedValue } from "../../contract/traffic.ts";
import { Card } from "../layout/pieces.tsx";
import { Shares } from "../layout/plots.tsx";
import { countryName, type MarkedCountry, WorldMap } from "../layout/world_map.tsx";

/** Number of shades for countries, from few requests to many. */
const SHADES = 4;

/** Returns the shade for a count, from 1 to `SHADES`. The shades follow a logarithmic scale. */
export function shadeOf(count: number, most: number): number {
  if (count >= most) return SHADES;
  return 1 + Math.floor((SHADES - 1) * Math.log(Math.max(1, count)) / Math.log(most));
}

function markCountries(countries: readonly CountedValue[]): MarkedCountry[] {
  const most = Math.max(1, ...countries.map(({ count }) => count));
  return countries.map(({ value, count }) => ({
    code: value,
    mark: `shade-${shadeOf(count, most)}`,
    title: `${countryName(value)}: ${count.toLocaleString("en-US")} ${
      count === 1 ? "request" : "requests"
    }`,
  }));
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
          {known.length === 0
            ? null
            : <WorldMap countries={markCountries(known)} label="requests by country" />}
          <Shares items={countries.map((each) => ({ ...each, value: countryName(each.value) }))} />
        </div>
      )}
    </Card>
  );
}
