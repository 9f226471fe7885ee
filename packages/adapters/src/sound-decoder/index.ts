export { DecodeError } from './decode-error.ts';
export { createSoundDecoder, type SoundDecoderOptions, type ThreadedSoundDecoder } from './sound-decoder.ts';
