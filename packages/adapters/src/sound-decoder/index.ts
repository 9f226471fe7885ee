export { DecodeError } from './decode-error.ts';
export { createSoundDecoder, type SoundDecoderOfFiles, type SoundDecoderOptions } from './sound-decoder.ts';
