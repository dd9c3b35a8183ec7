/**
 * The page on which a person lets a program into a workspace.
 *
 * @module
 */
export { bindConsentPages, type ConsentPageServices } from "./consent_routes.ts";
