export { createMediaLinks, type LinkedAudio } from './create-media-links.ts';
export type { Admitted, Elsewhere } from './public-api.ts';
