/** @module The `remove_headers` action: removes headers from the response. */
import * as z from "zod";
import { unique } from "../conditions/lists.ts";
import { checkName } from "../request/header_map.ts";
import { isEdgeField } from "../request/edge_fields.ts";
import { warningAt } from "../finding.ts";
import { list, text } from "../schema_parts.ts";
import { type ActionDefinition, effectOf, NO_TEMPLATES } from "./action_definition.ts";

interface RemoveHeadersAction {
  readonly type: "remove_headers";
  readonly headers: readonly string[];
}

export const removeHeaders: ActionDefinition<RemoveHeadersAction, RemoveHeadersAction> = {
  schema: z.strictObject({ type: z.literal("remove_headers"), headers: list(text()) }),
  phase: "headers",
  isClientBound: false,
  templates: NO_TEMPLATES,
  *check({ headers }, { path }) {
    for (const [index, name] of headers.entries()) {
      yield* checkName(name, [...path, "headers", index], "value");
    }
  },
  *warn({ headers }, { path }) {
    for (const [index, name] of headers.entries()) {
      if (!isEdgeField(name.toLowerCase())) continue;
      yield warningAt([...path, "headers", index], {
        code: "edge_header",
        message: `Do not remove the header "${name}": the edge controls it`,
      });
    }
  },
  normalize: ({ type, headers }) => ({
    type,
    headers: unique(headers.map((name) => name.toLowerCase())),
  }),
  endsPhase: () => false,
  closes: () => undefined,
  compile({ headers }) {
    const edits = headers.map((name) => ({ type: "remove", name }) as const);
    return effectOf((draft) => {
      for (const edit of edits) draft.editHeader(edit);
    });
  },
};
