/**
 * The pages on which a person approves the login of a tool (RFC 8628, 3.3).
 *
 * @module
 */
export { bindDevicePages, type DevicePageServices } from "./device_routes.ts";
