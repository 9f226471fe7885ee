export {
  createSounds,
  type SoundLimits,
} from './create-sounds.ts';
export type { PlayItem, PlayNotice, PlayOrder } from './domain/play-order.ts';
export type { ReadSoundDocument, Sounds } from './public-api.ts';
