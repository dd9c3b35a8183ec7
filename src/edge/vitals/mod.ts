/**
 * Web vitals of visitors, where a site has them switched on: the script that measures
 * them, and the endpoint that it sends them to.
 *
 * @module
 */
export { isVitalsPath, VitalsEndpoint, type VitalsSite } from "./vitals_endpoint.ts";
