/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows a database's size and connections over time. */
import type { DatabaseUsage } from "../../contract/databases.ts";
import { Card } from "../layout/pieces.tsx";
import { TimeChart } from "../layout/time_chart.tsx";

export function UsageCard({ usage: { steps, stepSeconds } }: { readonly usage: DatabaseUsage }) {
  const over = stepSeconds === 60 ? "since creation, by minute" : "in the last 24 hours";
  return (
    <Card title="Over time" id="usage" lead={`Size and connections of all branches ${over}.`}>
      <div class="body">
        {steps.length === 0
          ? <p class="soft">The first sample appears within a minute. Reload the page to see it.</p>
          : (
            <div class="fields-two">
              <TimeChart
                label={`Size ${over}`}
                unit="bytes"
                stepSeconds={stepSeconds}
                series={[{ name: "Size", kind: "area" }]}
                rows={steps.map(({ time, sizeBytes }) => ({ time, values: [sizeBytes] }))}
              />
              <TimeChart
                label={`Connections ${over}`}
                unit="count"
                stepSeconds={stepSeconds}
                series={[{ name: "Connections", kind: "area" }]}
                rows={steps.map(({ time, connections }) => ({ time, values: [connections] }))}
              />
            </div>
          )}
      </div>
    </Card>
  );
}
