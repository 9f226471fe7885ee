export { createChosenSpeech } from './chosen-speech.ts';
export { createHttpVoice, type HttpVoiceOptions } from './http-voice.ts';
export { createWebSocketVoice, type WebSocketVoiceOptions } from './websocket-voice.ts';
