export { behaviours, type Conduct } from './domain/behaviours.ts';
export {
  type CallingNotice,
  type CallingPhones,
  greetingClip,
  type PhoneOrder,
  type SandboxPhonesDeps,
  startSandboxPhones,
  talkerClip,
  type Voicemail,
} from './sandbox-phones.ts';
export { greeting, sentences } from './sentences.ts';
