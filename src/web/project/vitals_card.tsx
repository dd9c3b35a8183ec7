/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * Web vitals of a project's visitors, beside its traffic.
 *
 * @module
 */
import type { TrafficReport, WebVitals } from "../../contract/traffic.ts";
import { Card } from "../layout/pieces.tsx";

/** Up to which value a vital is good, and from which it is poor (web.dev); CLS as its score. */
const VITALS = [
  ["lcp", "LCP", 2500, 4000],
  ["inp", "INP", 200, 500],
  ["cls", "CLS", 0.1, 0.25],
  ["fcp", "FCP", 1800, 3000],
  ["ttfb", "TTFB", 800, 1800],
] as const;

/** The word stands beside the colour, for those who do not see it. */
function judge(p75: number, good: number, poor: number): readonly [kind: string, word: string] {
  if (p75 <= good) return ["good", "good"];
  return p75 <= poor ? ["", "fair"] : ["bad", "poor"];
}

function Row({ name, vitals }: { readonly name: string; readonly vitals: WebVitals }) {
  return (
    <tr>
      <td>
        <span class="clip" title={name}>{name}</span>
      </td>
      {VITALS.map(([vital, , good, poor]) => {
        const found = vitals[vital];
        if (found === undefined) return <td key={vital} class="num soft">–</td>;
        const [kind, word] = judge(found.p75, good, poor);
        return (
          <td key={vital} class="num" title={`${found.count} views`}>
            {vital === "cls" ? found.p75 : `${found.p75} ms`}{" "}
            <span class={`tag ${kind}`}>{word}</span>
          </td>
        );
      })}
    </tr>
  );
}

/** How to have them measured, while nothing is. */
function HowTo() {
  return (
    <div class="body">
      <p>
        Write <code>vitals = true</code> under <code>[traffic]</code> in{" "}
        <code>svc.toml</code>, add this line to the head of your pages, then deploy:
      </p>
      <pre class="terminal" tabindex={0}>{'<script defer src="/_svc/vitals.js"></script>'}</pre>
    </div>
  );
}

export function VitalsCard({ vitals }: Pick<TrafficReport, "vitals">) {
  if (vitals === undefined) {
    return (
      <Card title="Web vitals" lead="No measurements in this period." id="vitals">
        <HowTo />
      </Card>
    );
  }
  return (
    <Card
      title="Web vitals"
      lead="Measured in your visitors' browsers. 75 % of views were at least this fast (p75)."
      id="vitals"
    >
      <div class="scroll" tabindex={0} role="region" aria-label="Web vitals by page">
        <table>
          <thead>
            <tr>
              <th>Page</th>
              {VITALS.map(([vital, name]) => <th key={vital} class="num">{name}</th>)}
            </tr>
          </thead>
          <tbody>
            <Row name="All pages" vitals={vitals.all} />
            {vitals.pages.map(({ path, vitals }) => <Row key={path} name={path} vitals={vitals} />)}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
