/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The platform's front edges, on a map and as a list, for the platform's owner. */
import type { FrontEdge } from "../../contract/edges.ts";
import { formatCount } from "../../lib/format.ts";
import { Ago, State, type Tone } from "../layout/board_pieces.tsx";
import { Card, Form } from "../layout/pieces.tsx";
import { countryName, type MarkedCountry, WorldMap } from "../layout/world_map.tsx";

const TONES = { connected: "good", lost: "bad", unseen: "idle" } as const satisfies Record<
  FrontEdge["state"],
  Tone
>;
const WORDS = { connected: "Connected", lost: "Lost", unseen: "Not seen yet" } as const;

/** Lists the countries that have edges, and highlights the countries that have a lost edge. */
function markCountries(edges: readonly FrontEdge[]): MarkedCountry[] {
  const places = Map.groupBy(edges, ({ country }) => country);
  return [...places].flatMap(([code, here]) => {
    if (code === null) return [];
    const isLost = here.some(({ state }) => state === "lost");
    const names = here.map(({ name }) => name).join(", ");
    const title = `${countryName(code)}: ${names}`;
    return [{ code, mark: isLost ? "lost" : "shade-4", title }];
  });
}

/** Shows the state of an edge: whether it is drained, where it is, and whether it is up to date. */
function Facts({ edge, now }: { readonly edge: FrontEdge; readonly now: number }) {
  const { isDrained, country, address, roundTripMs, behind, seenAt, version } = edge;
  return (
    <span class="dots soft">
      {isDrained ? <span>drained: receives no clients</span> : null}
      {country === null ? null : <span>{countryName(country)}</span>}
      {address === null ? null : <code>{address}</code>}
      {roundTripMs === null ? null : <span>{`${roundTripMs} ms away`}</span>}
      {behind === null || behind === 0
        ? null
        : <span>{`${formatCount(behind, "change")} behind`}</span>}
      {seenAt === null ? null : (
        <span>
          seen <Ago at={seenAt} now={now} />
        </span>
      )}
      {version === null ? null : <span>{`svc ${version}`}</span>}
    </span>
  );
}

export function EdgesCard({ edges, path, csrf, now }: {
  readonly edges: readonly FrontEdge[];
  /** Path of the page that contains the card. */
  readonly path: string;
  readonly csrf: string;
  readonly now: number;
}) {
  const places = markCountries(edges);
  return (
    <Card
      title="The platform's front edges"
      id="edges"
      lead="Only the platform's owner sees this."
    >
      {places.length === 0 ? null : <WorldMap countries={places} label="front edges by country" />}
      <ul class="rows">
        {edges.map((edge) => (
          <li key={edge.name}>
            <State tone={TONES[edge.state]}>{WORDS[edge.state]}</State>
            <div class="main">
              <span>{edge.name}</span>
              <Facts edge={edge} now={now} />
            </div>
            <div class="acts">
              <Form
                action={`${path}/edges`}
                csrf={csrf}
                hidden={{ edge: edge.name, drained: edge.isDrained ? undefined : "on" }}
              >
                <button class="quiet little" type="submit">
                  {edge.isDrained ? "Use again" : "Drain"}
                  <span class="hush">{` ${edge.name}`}</span>
                </button>
              </Form>
            </div>
          </li>
        ))}
      </ul>
      <div class="body">
        <p class="soft small">
          Draining an edge moves its clients to other edges. In a terminal:{" "}
          <code>svc edges list</code>
        </p>
      </div>
    </Card>
  );
}
