export type { PlayItem, PlayNotice, PlayOrder } from './domain/play-order.ts';
export type { ReadSoundDocument, Sounds } from './door.ts';
export {
  createSounds,
  type SoundLimits,
} from './sounds.ts';
