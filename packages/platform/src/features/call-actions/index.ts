export { createCallActions } from './call-actions.ts';
export { readPlay, readSpeech, type SoundWish } from './wishes.ts';
