export { createCallActions } from './create-call-actions.ts';
export { readPlay, readSpeech, type SoundSpec } from './parameters.ts';
