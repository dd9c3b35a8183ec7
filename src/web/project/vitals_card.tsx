/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows the web vitals of a project's visitors, next to its traffic. */
import type { TrafficReport, WebVitals } from "../../contract/traffic.ts";
import { formatCount } from "../../lib/format.ts";
import { Card } from "../layout/pieces.tsx";

/**
 * For each vital, the upper limit of a good value and the lower limit of a poor one (web.dev). CLS
 * is a score. All other vitals are in milliseconds.
 */
const VITALS = [
  ["lcp", "LCP", 2500, 4000],
  ["inp", "INP", 200, 500],
  ["cls", "CLS", 0.1, 0.25],
  ["fcp", "FCP", 1800, 3000],
  ["ttfb", "TTFB", 800, 1800],
] as const;

/** Returns a color, and a word for people who cannot distinguish the color. */
function judge(p75: number, good: number, poor: number): readonly [kind: string, word: string] {
  if (p75 <= good) return ["good", "good"];
  return p75 <= poor ? ["care", "needs improvement"] : ["bad", "poor"];
}

/** The three vitals by which web.dev judges a page, with their full names. */
const CORE = {
  lcp: "Largest Contentful Paint",
  inp: "Interaction to Next Paint",
  cls: "Cumulative Layout Shift",
} as const;

const valueText = (vital: keyof WebVitals, value: number): string =>
  vital === "cls" ? `${value}` : `${value.toLocaleString("en-US")} ms`;

/**
 * Shows a value on its vital's scale. "Good", "needs improvement" and "poor" each take up a third
 * of the scale.
 */
function Scale({ p75, good, poor }: {
  readonly p75: number;
  readonly good: number;
  readonly poor: number;
}) {
  const at = p75 <= good
    ? p75 / good
    : p75 <= poor
    ? 1 + (p75 - good) / (poor - good)
    : 2 + (p75 - poor) / p75;
  return (
    <svg class="scale" viewBox="0 0 300 18" preserveAspectRatio="none" aria-hidden="true">
      {["good", "care", "bad"].map((kind, third) => (
        <rect
          key={kind}
          class={kind}
          x={third * 100 + (third === 0 ? 0 : 1)}
          y={6}
          width={99}
          height={6}
        />
      ))}
      <rect class="here" x={Math.min(294, Math.round(at * 100))} y={1} width={5} height={16} />
    </svg>
  );
}

function CoreVitals({ all }: { readonly all: WebVitals }) {
  return (
    <dl class="vitals">
      {VITALS.map(([vital, name, good, poor]) => {
        const found = all[vital];
        if (found === undefined || !(vital in CORE)) return null;
        const [kind, word] = judge(found.p75, good, poor);
        return (
          <div key={vital}>
            <dt>{`${CORE[vital as keyof typeof CORE]} (${name})`}</dt>
            <dd>
              <span class="value">
                {valueText(vital, found.p75)} <span class={`tag ${kind}`}>{word}</span>
              </span>
              <Scale p75={found.p75} good={good} poor={poor} />
              <span class="soft small">
                {`Good up to ${valueText(vital, good)}, poor above ${valueText(vital, poor)}. ${
                  found.count.toLocaleString("en-US")
                } views.`}
              </span>
            </dd>
          </div>
        );
      })}
    </dl>
  );
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
          <td key={vital} class="num" title={formatCount(found.count, "view")}>
            {valueText(vital, found.p75)} <span class={`tag ${kind}`}>{word}</span>
          </td>
        );
      })}
    </tr>
  );
}

/** Explains how to enable the measurement of web vitals. */
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
      lead="Measured in your visitors' browsers. 75% of views were at least this fast (p75)."
      id="vitals"
    >
      <CoreVitals all={vitals.all} />
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
