/** @module Creates responses with pages for signed-in people. These pages have scripts. */
import type { Child } from "hono/jsx";
import { type PageFacts, showPage } from "./document.tsx";
import { BOARD_POLICY, BOARD_SCRIPT_PATH, HTMX_CONFIG, HTMX_PATH } from "./scripts.ts";

/** Renders a dashboard page. */
export function showBoard(content: Child, facts: PageFacts): Response {
  return showPage(content, {
    ...facts,
    scripts: [HTMX_PATH, BOARD_SCRIPT_PATH, ...facts.scripts ?? []],
    htmxConfig: HTMX_CONFIG,
    headers: { ...facts.headers, "content-security-policy": BOARD_POLICY },
  });
}

/** Renders a settings page, which can have its own policy. */
export function showSettings(content: Child, facts: PageFacts): Response {
  return showPage(content, {
    ...facts,
    scripts: [BOARD_SCRIPT_PATH],
    headers: { "content-security-policy": BOARD_POLICY, ...facts.headers },
  });
}
