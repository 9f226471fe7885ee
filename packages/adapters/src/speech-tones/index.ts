export { isSilent, SpokenTextReader, spokenText } from './spoken-text.ts';
export { createToneEngine } from './tone-engine.ts';
export { frameSamples, toneMeter } from './tone-meter.ts';
export { createToneSpeech } from './tone-speech.ts';
export { UtteranceReader } from './utterance-reader.ts';
