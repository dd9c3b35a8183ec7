/**
 * The image endpoint of sites: which URLs it takes, which sources it may read,
 * and which format a client gets. What converts is passed in.
 *
 * @module
 */
export { ImageResponder, type OwnSource } from "./image_responder.ts";
export { compileImages, IMAGE_PATH, SiteImages } from "./site_images.ts";
export { SourceRequest } from "./source_request.ts";
export type { ConvertedImage, ImageOrder, ImageOutcome, ImageService } from "./types.ts";
