export { createCallActions } from './create-call-actions.ts';
export { readPlay, readSpeech, type SoundWish } from './parameters.ts';
