export { createEspeakSpeech, type EspeakOptions, type EspeakSpeech } from './espeak-speech.ts';
export { SpeechError } from './speech-error.ts';
