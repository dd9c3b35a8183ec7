/**
 * The pages of the dev server.
 *
 * @module
 */
export { PROBLEM_HINT, showProblem } from "./problem_page.tsx";
export { PAGE_PATH, type PageFacts, showDevPage } from "./dev_page.tsx";
