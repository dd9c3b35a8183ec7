/**
 * Binds pages and forms to their paths: finds out who is visiting, checks that a
 * form came from one of our pages, and shows failures as pages.
 *
 * @module
 */
export { type BoardServices, type BoardVisit, openBoard } from "./board_context.ts";
export { PageBinder, type PersonVisit, showFailure, signInPath } from "./page_binder.tsx";
export type { PageApi } from "./page_api.ts";
export { pageContextOf, WHOLE_LIST } from "./page_context.ts";
export { cursorIn, type ListPart, listWish, readChoices, readPart } from "./long_list.ts";
export { PageSession, type PageSessionServices } from "./page_session.ts";
export { safeReturnPath } from "./return_path.ts";
