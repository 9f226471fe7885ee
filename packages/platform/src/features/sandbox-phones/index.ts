export { behaviours } from './domain/behaviours.ts';
export {
  greetingClip,
  type SandboxPhonesDeps,
  startSandboxPhones,
  talkerClip,
  type Voicemail,
} from './sandbox-phones.ts';
export { greeting, sentences } from './sentences.ts';
