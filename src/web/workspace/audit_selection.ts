/** @module Parses the query of the audit log page. Pure. */
import { endpoints } from "../../contract/endpoints.ts";

const { query: schema } = endpoints.listAudit;

/** The part of the audit log to show. */
export interface AuditSelection {
  readonly limit: number;
  readonly cursor?: string;
  readonly user?: string;
  readonly action?: string;
  readonly project?: string;
}

/** Number of entries per page. */
const SHOWN = 50;

/** Parses a page's query. Ignores invalid parameters. */
export function auditSelection(query: URLSearchParams): AuditSelection {
  const selection: Record<string, string> = {};
  for (const name of ["cursor", "user", "action", "project"] as const) {
    const given = query.get(name)?.trim() ?? "";
    if (given !== "" && schema.shape[name].safeParse(given).success) selection[name] = given;
  }
  return { ...selection, limit: SHOWN };
}

/** Returns the query of the page that shows `selection`. */
export function auditQuery({ limit: _, ...selection }: AuditSelection): string {
  const query = new URLSearchParams(Object.entries(selection)).toString();
  return query === "" ? "" : `?${query}`;
}
