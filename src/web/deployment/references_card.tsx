/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The card that lists the references in a deployment's variables. */
import type { Deployment } from "../../contract/deployments.ts";
import { Card, Notice } from "../layout/pieces.tsx";

/** Lists the values to which the references in a deployment's variables were resolved. */
export function References({ deployment }: { readonly deployment: Deployment }) {
  const { references, referencesChanged } = deployment;
  if (references.length === 0) return null;
  return (
    <Card title="References in variables" id="references">
      {referencesChanged
        ? (
          <Notice kind="care">
            A reference now resolves to a different value. Redeploy to apply it.
          </Notice>
        )
        : null}
      <div class="scroll" tabindex={0} role="region" aria-label="References in variables">
        <table>
          <thead>
            <tr>
              <th>Variable</th>
              <th>Reference</th>
              <th>Resolved to</th>
            </tr>
          </thead>
          <tbody>
            {references.map(({ variable, reference, value, changed }, index) => (
              <tr key={index}>
                <td class="mono">{variable}</td>
                <td class="mono">{`\${{${reference}}}`}</td>
                <td>
                  {value ?? "Connection string (secret)"}
                  {changed ? " (changed since)" : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Card>
  );
}
