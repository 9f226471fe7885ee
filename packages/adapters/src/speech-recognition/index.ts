export { createHttpSpeechEngine, type HttpSpeechOptions } from './http-engine.ts';
export {
  createLegRecognition,
  type LegRecognition,
  type LegRecognitionOptions,
  type RecognitionSource,
} from './leg-recognition.ts';
export { createProcessSpeechEngine, type ProcessSpeechOptions } from './process-engine.ts';
export { createFileTranscription } from './transcription/file-transcription.ts';
export { createWebSocketSpeechEngine, type WebSocketSpeechOptions } from './websocket-engine.ts';
