/**
 * The pages of a workspace's API keys and trusted publishers.
 *
 * @module
 */
import type { BoardServices } from "../visit/board_context.ts";
import type { PageBinder } from "../visit/page_binder.tsx";
import { bindKeys } from "./keys_routes.ts";
import { bindPublishers } from "./publishers_routes.ts";

export function bindKeyPages(bind: PageBinder, services: BoardServices): void {
  bindKeys(bind, services);
  bindPublishers(bind, services);
}
