/**
 * The page of the dev server.
 *
 * @module
 */
export { PAGE_PATH, type PageFacts, showDevPage } from "./dev_page.tsx";
