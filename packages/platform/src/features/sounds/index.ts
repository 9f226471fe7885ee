export type {
  PlayItem,
  PlayNotice,
  PlayOrder,
  PlayProblem,
  ReadSoundDocument,
  SoundDocument,
  Sounds,
} from './door.ts';
export {
  createSounds,
  type SoundLimits,
  type SoundsCensus,
  type SoundsDeps,
  type SoundsFeature,
  soundLimits,
} from './sounds.ts';
