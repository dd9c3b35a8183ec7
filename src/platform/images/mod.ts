/**
 * Converting images for deployments: within a quota, in processes of their own.
 *
 * @module
 */
export { createImages, type ImageOptions, type Images } from "./create_images.ts";
